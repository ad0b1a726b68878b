import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `c${index}`);
const values = (count: number): object => Object.fromEntries(names(count).map((name) => [name, 1]));
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

const COLUMNS = "Too many columns, maximum allowed is 2000";

/** A body whose lists block the event loop if nothing limits them, and what it is refused with. */
const REFUSED: readonly (readonly [title: string, path: string, body: object, error: string])[] = [
  ["columns", "-/create", { table: "n", columns: names(2_001).map((name) => ({ name })) }, COLUMNS],
  ["columns of a row", "-/create", { table: "n", row: values(2_001) }, COLUMNS],
  ["columns of rows", "-/create", { table: "n", rows: names(2_001).map((name) => ({ [name]: 1 })) }, COLUMNS],
  ["keys", "-/create", { table: "n", row: { id: 1 }, pks: names(2_001) }, COLUMNS],
  ["values of a row", "books/-/insert", { row: values(2_001) }, COLUMNS],
  ["values of an upsert", "books/-/upsert", { rows: [values(2_001)] }, COLUMNS],
  ["changes", "books/1/-/update", { update: values(2_001) }, COLUMNS],
  ["changes of filtered rows", "books/-/update", { update: values(2_001), filters: { id: 1 } }, COLUMNS],
  ["columns of an index", "books/-/create-index", { columns: names(2_001) }, COLUMNS],
  [
    "operations",
    "books/-/alter",
    { operations: names(501).map((name) => ({ op: "add_column", args: { name, type: "text" } })) },
    "Too many operations, maximum allowed is 500",
  ],
  ["filters", "books/-/delete", { filters: values(1_001) }, "At most 1000 filters are allowed, not 1001"],
  [
    "values of a filter",
    "books/-/delete",
    { filters: { id: numbers(10_001) } },
    'Filter "id" has too many values, maximum allowed is 10000',
  ],
  [
    "values in the text of a filter",
    "books/-/delete",
    { filters: { id__in: numbers(10_001).join() } },
    'Filter "id__in" has too many values, maximum allowed is 10000',
  ],
];

describe("Too many", () => {
  let rowhouse: TestRowhouse;

  beforeEach(async () => {
    rowhouse = await rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] } });
  });

  for (const [title, path, body, error] of REFUSED) {
    it(`${title} are refused, and nothing is written`, async () => {
      const { status, json } = await rowhouse.post(`/library/${path}`, { as: "root", json: body });

      expect([status, json.errors]).to.deep.equal([400, [error]]);
      const { json: after } = await rowhouse.get("/library.json");
      expect(
        after.tables.map(({ name, count }: { name: string; count: number }) => [name, count]),
      ).to.deep.equal([["books", 1]]);
    });
  }

  it("values are not ten thousand: so many rows can be deleted together", async () => {
    const body = { filters: { id: numbers(10_000) } };

    const { status, json } = await rowhouse.post("/library/books/-/delete", { as: "root", json: body });

    expect([status, json.row_count]).to.deep.equal([200, 1]);
  });
});
