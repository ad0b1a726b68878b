import { expect } from "chai";
import { InvalidSql } from "rowhouse/plugin-api/errors";
import { resolveEscapeFts } from "rowhouse/plugin-api/sql";

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

    expect(sql).to.equal('select :q, :q_escaped_0_ as "ESCAPE_FTS ( :q )"');
    expect(params).to.deep.equal({ q: 'two "wo', q_escaped_0: "taken", q_escaped_0_: '"two" "wo"' });
  });

  it("escapes a string literal in place", () => {
    const { sql } = resolveEscapeFts({ sql: "select escape_fts('it''s on')", params: {} });

    expect(sql).to.equal(`select '"it''s" "on"' as "escape_fts('it''s on')"`);
  });

  it("touches neither strings and comments nor what is no call with one argument", () => {
    for (const sql of [
      "select 'escape_fts(:q)'",
      "select 1 -- escape_fts(:q)",
      "select escape_fts from t",
      "select escape_fts()",
      "select escape_fts(:q, :q)",
      "select escape_fts(:q",
    ]) {
      expect(resolveEscapeFts({ sql, params: { q: "x" } }).sql).to.equal(sql);
    }
  });

  it("leaves any other argument to SQL, calls inside of it as well", () => {
    const { sql } = resolveEscapeFts({ sql: "select escape_fts(a || escape_fts('b c')), d", params: {} });

    expect(sql).to.include("escape_fts_text");
    expect(sql).to.include(`cast(a || '"b" "c"'`);
    expect(sql.endsWith(", d")).to.equal(true);
  });

  it("replaces many calls in linear time, beside and inside of each other", () => {
    const beside = `select ${Array<string>(8_000).fill("escape_fts(:q)").join(", ")}`;
    const inside = `select ${"escape_fts(".repeat(3_000)}a${")".repeat(3_000)}`;
    const unclosed = "escape_fts(".repeat(30_000);
    const began = performance.now();
    const [many, nested, open] = [beside, inside, unclosed].map(
      (sql) => resolveEscapeFts({ sql, params: { q: "x" } }).sql,
    );

    expect(performance.now() - began).to.be.below(3_000);
    expect(many).to.include(':q_escaped_7999 as "escape_fts(:q)"');
    expect(nested?.split("escape_fts_text(whole)")).to.have.length(3_001);
    expect(open).to.equal(unclosed);
  });

  const named: readonly (readonly [sql: string, isNamed: boolean])[] = [
    ["select escape_fts('a') from t", true],
    ["select distinct escape_fts('a'), b from t", true],
    ["select (select max(c) from u), escape_fts('a');", true],
    ["with x as (select escape_fts('a')) select 1", true],
    ["select b from t union select escape_fts('a') order by 1", true],
    ["select escape_fts('a') as b", false],
    ["select escape_fts('a') b", false],
    ["select max(b, escape_fts('a'), c)", false],
    ["select escape_fts('a') || 'b'", false],
    ["select 1 from t order by b, escape_fts('a')", false],
    ["select 1 from t where b match escape_fts('a')", false],
  ];
  for (const [statement, isNamed] of named) {
    it(`${isNamed ? "keeps the name of a column" : "names no part of a statement"}: ${statement}`, () => {
      const { sql } = resolveEscapeFts({ sql: statement, params: {} });

      const replaced = isNamed ? `'"a"' as "escape_fts('a')"` : `'"a"'`;
      expect(sql).to.equal(statement.replace("escape_fts('a')", replaced));
    });
  }

  it("refuses a parameter without a value", () => {
    expect(() => resolveEscapeFts({ sql: "select escape_fts(:q)", params: {} })).to.throw(
      InvalidSql,
      "You did not supply a value for binding parameter :q.",
    );
  });
});
