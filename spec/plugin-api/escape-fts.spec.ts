import { expect } from "chai";
import { InvalidSql, resolveEscapeFts } from "rowhouse/plugin-api";

describe("resolveEscapeFts", () => {
  it("leaves a statement without the function as it is", () => {
    const statement = { sql: "select :a", params: { a: "x" } };

    expect(resolveEscapeFts(statement)).to.deep.equal(statement);
  });

  it("binds the escaped text under a name of its own, so that the plain parameter stays what it was", () => {
    const { sql, params } = resolveEscapeFts({
      sql: "select :q, ESCAPE_FTS ( :q )",
      params: { q: 'two "wo', q_escaped_0: "taken" },
    });

    expect(sql).to.equal("select :q, :q_escaped_0_");
    expect(params).to.deep.equal({ q: 'two "wo', q_escaped_0: "taken", q_escaped_0_: '"two" "wo"' });
  });

  it("escapes a string literal in place", () => {
    const { sql } = resolveEscapeFts({ sql: "select escape_fts('it''s on')", params: {} });

    expect(sql).to.equal(`select '"it''s" "on"'`);
  });

  it("touches neither strings and comments nor calls in any other form", () => {
    for (const sql of [
      "select 'escape_fts(:q)'",
      "select 1 -- escape_fts(:q)",
      "select escape_fts(a || b)",
    ]) {
      expect(resolveEscapeFts({ sql, params: { q: "x" } }).sql).to.equal(sql);
    }
  });

  it("refuses a parameter without a value", () => {
    expect(() => resolveEscapeFts({ sql: "select escape_fts(:q)", params: {} })).to.throw(
      InvalidSql,
      "You did not supply a value for binding parameter :q.",
    );
  });
});
