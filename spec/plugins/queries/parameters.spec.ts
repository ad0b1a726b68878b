import { expect } from "chai";
import { sqliteDialect } from "../../harness/sqlite-dialect.js";
import { InvalidSql } from "rowhouse/plugin-api/errors";
import { formParameters, boundValues } from "../../../plugins/queries/parameters.js";

describe("Parameters of a query", () => {
  it("asks for the names in the SQL, not for those with a leading underscore", () => {
    expect(formParameters(sqliteDialect, "select :b, :a, :_hidden, @c, $d", undefined)).to.deep.equal([
      "b",
      "a",
    ]);
  });

  it("asks for a query's own list instead where it has one", () => {
    expect(formParameters(sqliteDialect, "select :b, :a", ["a", "_x"])).to.deep.equal(["a"]);
  });

  it("binds exactly the names in the statement, whatever their prefix", () => {
    const values = new Map([
      ["a", "1"],
      ["b", "2"],
      ["c", "3"],
      ["unused", "4"],
    ]);

    expect(boundValues(sqliteDialect, "select :a, @b, $c", values)).to.deep.equal({ a: "1", b: "2", c: "3" });
  });

  it("names the first parameter that has no value", () => {
    expect(() => boundValues(sqliteDialect, "select :_a", new Map())).to.throw(
      InvalidSql,
      "You did not supply a value for binding parameter :_a.",
    );
  });

  it("refuses parameters without a name", () => {
    expect(() => boundValues(sqliteDialect, "select :a, ?", new Map([["a", "1"]]))).to.throw(
      InvalidSql,
      /^Binding 2 has no name/,
    );
  });

  it("binds a parameter called __proto__ as any other", () => {
    const bound = boundValues(sqliteDialect, "select :__proto__", new Map([["__proto__", "x"]]));

    expect(Object.entries(bound)).to.deep.equal([["__proto__", "x"]]);
  });
});
