import { expect } from "chai";
import { noConditions, whereText, withClauses } from "../../../plugins/tables/conditions.js";

describe("conditions of one statement", () => {
  it("number their parameters through the whole statement", () => {
    const both = withClauses(noConditions, [
      { where: "a in (:p0, :p1)", params: { p0: 1, p1: 2 } },
      { where: "b = :p0", params: { p0: 3 } },
    ]);

    expect(whereText(both)).to.equal(" where a in (:p0, :p1) and b = :p2");
    expect(both.params).to.deep.equal({ p0: 1, p1: 2, p2: 3 });
  });

  it("count other names as well", () => {
    const all = withClauses(noConditions, [
      { where: "x match :search", params: { search: "fog" } },
      { where: "id > :p0", params: { p0: "7" } },
    ]);

    expect(all.params).to.deep.equal({ search: "fog", p1: "7" });
    expect(whereText(all)).to.equal(" where x match :search and id > :p1");
  });

  it("distinguish two parameters with one name", () => {
    const all = withClauses(noConditions, [
      { where: "x = :search", params: { search: "a" } },
      { where: "y = :search", params: { search: "b" } },
    ]);

    expect(whereText(all)).to.equal(" where x = :search and y = :search_2");
    expect(all.params).to.deep.equal({ search: "a", search_2: "b" });
  });

  it("leave text and names alone that look like a parameter", () => {
    const all = withClauses(noConditions, [
      { where: "a = :p0", params: { p0: 1 } },
      { where: `":p0" = ':p0' and [:p0] = :p0`, params: { p0: 2 } },
    ]);

    expect(all.wheres[1]).to.equal(`":p0" = ':p0' and [:p0] = :p1`);
  });
});
