import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../../harness/index.js";

const alter = (rowhouse: TestRowhouse, op: string, args: object): Promise<TestReply> =>
  rowhouse.post("/library/t/-/alter", { as: "root", json: { operations: [{ op, args }] } });

const definition = async (rowhouse: TestRowhouse): Promise<unknown> =>
  (await rowhouse.query("select sql from sqlite_schema where name = 't'"))[0]?.["sql"];

describe("The expression of a check", () => {
  for (const [expression, reason] of [
    ["a = 'x", "cannot contain 'x"],
    ['a = "x', 'cannot contain "x'],
    ["n > 1x", "cannot contain 1x"],
    ["a = 'x\0y'", "cannot contain 'x\0y'"],
    ["a = x'41'", "cannot contain x'41'"],
    ["a 'x' is null", "cannot contain a'x'"],
    ["cast(a as n) > 1", "cannot cast to n. It can cast to integer, bigint, text, real, numeric"],
    ["trim(a, n) = ''", "needs a text as second argument of trim"],
    ["ltrim(a, 'x' || n) = ''", "needs a text as second argument of ltrim"],
    ["INSTR(lower(a), lower('x')) > 0", "needs a text as second argument of instr"],
  ] as const) {
    it(`is refused: ${JSON.stringify(expression)}`, async () => {
      const rowhouse = await rowhouseFor({ sql: "create table t (a, n)" });

      const { status, json } = await alter(rowhouse, "add_check", { expression });

      expect([status, json.errors]).to.deep.equal([
        400,
        [`Operation 0: The expression of a check ${reason}`],
      ]);
    });
  }

  for (const [expression, stored] of [
    ["trim(a) <> '' and trim(coalesce(a, n), ',') <> ''", undefined],
    ["instr(trim(lower(a), '('), ')') = 0 or n in (1, 2)", undefined],
    ["cast(a AS integer) > 0", 'cast ( "a" as integer ) > 0'],
    ["n=-1 or n<>+1 or a like'x'", `"n" = - 1 or "n" <> + 1 or "a" like 'x'`],
    ['"N" >= 1', '"n" >= 1'],
    ["text <> ''", `"text" <> ''`],
  ] as const) {
    it(`is stored: ${expression}`, async () => {
      const rowhouse = await rowhouseFor({ sql: "create table t (a, n, text)" });

      const { status, json } = await alter(rowhouse, "add_check", { expression });

      expect([status, json.errors]).to.deep.equal([200, undefined]);
      if (stored !== undefined) expect(await definition(rowhouse)).to.include(`CHECK (${stored})`);
    });
  }
});

describe("A check that is dropped", () => {
  it("is named by its name or its expression, not by both", async () => {
    const rowhouse = await rowhouseFor({ sql: "create table t (a, constraint k check (a > 0))" });

    for (const args of [{}, { name: "k", expression: "a > 0" }]) {
      const { status, json } = await alter(rowhouse, "drop_check", args);
      expect([status, json.errors]).to.deep.equal([
        400,
        ['Operation 0: Give either "name" or "expression" of the check'],
      ]);
    }
  });

  it("has its name in any case", async () => {
    const rowhouse = await rowhouseFor({ sql: "create table t (a, constraint k check (a > 0))" });

    expect((await alter(rowhouse, "drop_check", { name: "K" })).status).to.equal(200);
  });

  it("is one of several that are alike", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table t (a check (a > 0), b, check (a > 0), check (a > 0))",
    });

    for (const left of [2, 1, 0]) {
      expect((await alter(rowhouse, "drop_check", { expression: "a > 0" })).status).to.equal(200);
      expect(String(await definition(rowhouse)).split("check").length - 1).to.equal(left);
    }
    expect((await alter(rowhouse, "drop_check", { expression: "a > 0" })).status).to.equal(400);
  });
});

describe("New choices of a column", () => {
  for (const kept of [
    "a in ((1)) or b > 2",
    "a = (7)",
    "b in (1, 2)",
    "a not in (1, 2)",
    "a in (1, 2) and b > 0",
  ]) {
    it(`leave other checks: ${kept}`, async () => {
      const rowhouse = await rowhouseFor({
        sql: `create table t (a, b, check (a in (5, 6)), check (${kept}))`,
      });

      const { status } = await alter(rowhouse, "alter_column", { name: "a", choices: ["x"] });

      const sql = String(await definition(rowhouse));
      expect([status, sql.includes(`check (${kept})`), sql.includes("5")]).to.deep.equal([200, true, false]);
    });
  }
});

describe("A changed column", () => {
  it("may have the name of its table or of an index on another column", async () => {
    const rowhouse = await rowhouseFor({ sql: "create table t (a, t, i); create index i on t (a)" });

    for (const name of ["t", "i"])
      expect((await alter(rowhouse, "drop_column", { name })).status).to.equal(200);
  });

  it("is NULL or NOT NULL, and not both", async () => {
    const rowhouse = await rowhouseFor({ sql: "create table t (a text null, b)" });

    await alter(rowhouse, "alter_column", { name: "a", not_null: true });

    expect(await definition(rowhouse)).to.match(/a text NOT NULL,/);
  });

  it("is named once among the first ones", async () => {
    const rowhouse = await rowhouseFor({ sql: "create table t (a, b)" });

    const { status, json } = await alter(rowhouse, "reorder_columns", { columns: ["b", "B"] });

    expect([status, json.errors]).to.deep.equal([400, ["Operation 0: A column is named twice"]]);
  });
});
