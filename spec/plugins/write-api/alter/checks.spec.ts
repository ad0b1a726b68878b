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
  ] as const) {
    it(`is stored: ${expression}`, async () => {
      const rowhouse = await rowhouseFor({ sql: "create table t (a, n)" });

      const { status, json } = await alter(rowhouse, "add_check", { expression });

      expect([status, json.errors]).to.deep.equal([200, undefined]);
      if (stored !== undefined) expect(await definition(rowhouse)).to.include(`CHECK (${stored})`);
    });
  }
});
