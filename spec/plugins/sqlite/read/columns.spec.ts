import { expect } from "chai";
import { columnLookups } from "../column-lookups.js";
import { sqliteFile } from "../open-sqlite.js";

/** The columns of each statement, which one connection runs after the other. */
async function columnsOf(...statements: readonly string[]): Promise<readonly (readonly string[])[]> {
  const { database } = await sqliteFile("create table t (a, b, window); insert into t values (1, 2, 3)");
  const found: (readonly string[])[] = [];
  for (const sql of statements) found.push((await database.read(sql)).columns);
  return found;
}

describe("The columns of statements with values", () => {
  it("are looked up once for statements that differ in the values of their conditions", async () => {
    const { database } = await sqliteFile("create table t (a, b); insert into t values (1, 'x'), (200, 'z')");
    const lookups = await columnLookups(async () => {
      const first = await database.read("select a, b from t where a > 0 and b != 'z' limit 10");
      expect(first).to.deep.include({ columns: ["a", "b"], rows: [[1, "x"]] });
      const second = await database.read("select a, b from t where a > 100 and b != 'it''s' limit 20");
      expect(second).to.deep.include({ columns: ["a", "b"], rows: [[200, "z"]] });
    });
    expect(lookups).to.equal(1);
  });

  it("follow values in the list of columns", async () => {
    expect(await columnsOf("select a+1 from t where a = 1", "select a+2 from t where a = 1")).to.deep.equal([
      ["a+1"],
      ["a+2"],
    ]);
    expect(
      await columnsOf(
        "select * from (select 1 from t where a = 1) where 1",
        "select * from (select 2 from t where a = 1) where 1",
      ),
    ).to.deep.equal([["1"], ["2"]]);
  });

  it("follow names in the conditions", async () => {
    expect(
      await columnsOf(
        "select a, a from t where b = 2",
        'select a, a as "a:1" from t where b = 2',
        'select a, a from t order by "a:1", b',
      ),
    ).to.deep.equal([
      ["a", "a"],
      ["a", "a:1"],
      ["a", "a"],
    ]);
  });

  it("do not follow texts in the conditions, which are values", async () => {
    expect(
      await columnsOf(
        "select * from t, t as u where t.a != 'a:1'",
        "select * from t, t as u where t.a != 'other'",
      ),
    ).to.deep.equal([
      ["a", "b", "window", "a", "b", "window"],
      ["a", "b", "window", "a", "b", "window"],
    ]);
  });

  it("are not named like the one that follows a star", async () => {
    expect(await columnsOf('select *, 5 as "c:1" from (select a from t), (select a from t)')).to.deep.equal([
      ["a", "a", "c:1"],
    ]);
  });

  it("are those of the first statement of a union", async () => {
    expect(
      await columnsOf("select a from t union select 5", "select a from t union select 6 limit 1"),
    ).to.deep.equal([["a"], ["a"]]);
  });

  it("may be named like a clause", async () => {
    expect(
      await columnsOf("select window, a from t where a = 1", "select window, b from t where a = 1"),
    ).to.deep.equal([
      ["window", "a"],
      ["window", "b"],
    ]);
    expect(
      await columnsOf('select a as "where", b from t', 'select a as "where", window from t'),
    ).to.deep.equal([
      ["where", "b"],
      ["where", "window"],
    ]);
  });

  it("say what is wrong with a statement whose beginning is known", async () => {
    const { database } = await sqliteFile("create table t (a)");
    await database.read("select a from t where a = 1");
    const messages: string[] = [];
    for (const sql of [
      "select a from t where a == = 2",
      "select a from t where missing = 2",
      "select a from t where a = 1 union select 2, 3",
      "select a from t where a = 1) select 1, (2",
    ])
      await database.read(sql).catch((error: Error) => messages.push(error.message));
    expect(messages).to.deep.equal([
      'near "=": syntax error',
      "no such column: missing",
      "SELECTs to the left and right of UNION do not have the same number of result columns",
      'near ")": syntax error',
    ]);
  });
});
