import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

/** Columns of each affinity with values of each type, and a view whose column has none. */
const SCRIPT = `
  create table vals (id integer primary key, i integer, n numeric, r real, t text, b);
  insert into vals values
    (1, 1, 1, 1, '1', 1),
    (2, 9007199254740993, 9007199254740993, 0.1, '9007199254740993', '9007199254740993'),
    (3, -9223372036854775808, 'x', 1e300, 'it''s "q" \\ ü', x'01ff'),
    (4, null, null, null, null, null),
    (5, 2.5, '2.50', 2.5, '2.5', 2.5),
    (6, 'emoji 😀', 'a,b', 'a,b', char(10), 'emoji 😀'),
    (7, 0, -0.0, 0, '', ''),
    (8, 7, 7, 7, 'a' || char(0) || 'b', 'a' || char(0) || 'b');
  create view computed as select id, i + 0 as i, t || '' as t from vals;`;

/** Values of an address, as text and as JSON, that may be equal to a value of the table. */
const LISTS: readonly string[] = [
  "1,2.5,x",
  "9007199254740993,-9223372036854775808",
  "[1, 2.5, 0.1]",
  '["1", "2.5", ""]',
  "[9007199254740993, -9223372036854775808, 1e300]",
  '["it\'s \\"q\\" \\\\ ü", "emoji 😀", "a,b", "\\n"]',
  "[true, false, -0.0]",
  "[null, 1]",
  '["a\\u0000b", 7]',
  '["\\ud800", "7"]',
  '[{"$base64": true, "encoded": "Af8="}, 1]',
  "",
];

/** The same list with 1,500 values more, which no row has. */
function lengthened(list: string): string {
  const isJson = list.startsWith("[");
  const more = Array.from({ length: 1_500 }, (_, index) =>
    isJson ? `"absent ${index}"` : `absent ${index}`,
  );
  return isJson ? `${list.slice(0, -1)}, ${more.join(", ")}]` : `${list},${more.join(",")}`;
}

const COLUMNS: readonly (readonly [table: string, columns: readonly string[]])[] = [
  ["vals", ["id", "i", "n", "r", "t", "b"]],
  ["computed", ["i", "t"]],
];

describe("A filter by a long list", () => {
  let rowhouse: TestRowhouse;

  before(async () => {
    rowhouse = await rowhouseFor({ sql: SCRIPT });
  });

  const ids = async (table: string, filter: string, list: string): Promise<unknown> => {
    const { status, json } = await rowhouse.get(
      `/library/${table}.json?_shape=arrays&_nosuggest=1&${filter}=${encodeURIComponent(list)}`,
    );
    expect(status).to.equal(200);
    return json.rows.map(([id]: readonly unknown[]) => id);
  };

  for (const [table, columns] of COLUMNS) {
    for (const list of LISTS) {
      it(`finds the rows that a short one finds: ${table}, ${list === "" ? "empty text" : list}`, async () => {
        for (const column of columns) {
          for (const filter of [`${column}__in`, `${column}__notin`]) {
            expect(await ids(table, filter, lengthened(list)), filter).to.deep.equal(
              await ids(table, filter, list),
            );
          }
        }
      });
    }
  }

  it("refuses an integer that no column can hold, as a short one does", async () => {
    for (const list of ["[9223372036854775808]", lengthened("[9223372036854775808]")]) {
      const { status, json } = await rowhouse.get(`/library/vals.json?i__in=${encodeURIComponent(list)}`);
      expect([status, json.error]).to.deep.equal([400, "9223372036854775808 does not fit a 64-bit integer"]);
    }
  });

  it("has one parameter, and its published statement finds the same rows", async () => {
    const list = lengthened("1,2,3");
    const { json } = await rowhouse.get(
      `/library/vals.json?_shape=objects&_extra=query&_nosuggest=1&id__in=${encodeURIComponent(list)}`,
    );

    const { sql, params } = json.query as { sql: string; params: Record<string, string> };
    expect(Object.keys(params)).to.deep.equal(["p0"]);
    const again = await rowhouse.get(
      `/library.json?${new URLSearchParams({ sql, ...params, _shape: "objects" })}`,
    );
    expect(again.json.rows.map(({ id }: { id: number }) => id)).to.deep.equal([1, 2, 3]);
    expect(json.rows.map(({ id }: { id: number }) => id)).to.deep.equal([1, 2, 3]);
  });

  it("is found by the index of the column", async () => {
    const { json } = await rowhouse.get(
      `/library/vals.json?_extra=query&_nosuggest=1&id__in=${encodeURIComponent(lengthened("1"))}`,
    );
    const { sql, params } = json.query as { sql: string; params: Record<string, string> };

    const query = new URLSearchParams({ sql: `explain query plan ${sql}`, ...params, _shape: "array" });
    const plan = await rowhouse.get(`/library.json?${query}`);

    expect(JSON.stringify(plan.json)).to.include("USING INTEGER PRIMARY KEY").and.not.include("SCAN vals");
  });
});
