import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

const VALUES = [
  "11, 11.0, '11', '11.0', ' 11', '011', x'3131', null, -5, '-5', 0, -0.0, '-0', 1e1, '1e1', 'abc', ''",
  "9007199254740993, 9007199254740992.0, '9007199254740993', 9007199254740992",
  "9223372036854775807, 9223372036854775808.0, '9223372036854775808', -9223372036854775808",
]
  .join(", ")
  .split(", ");

/** The same values in columns of each affinity. */
const SCRIPT = `
  create table vals (id integer primary key, i integer, n numeric, r real, t text, b);
  create table indexed (id integer primary key, i integer, n numeric, r real, t text, b);
  ${VALUES.map((value) => `insert into vals (i, n, r, t, b) values (${`${value}, `.repeat(4)}${value});`).join("\n")}
  insert into indexed select * from vals;
  create index by_i on indexed(i); create index by_n on indexed(n); create index by_r on indexed(r);
  create view shown as select * from vals;`;

const WANTED = (
  "11,-5,0,-0,011,10,1e1,11.0, 11,,9007199254740993,9007199254740992,9223372036854775807,9223372036854775808," +
  "-9223372036854775808,-9223372036854775809"
).split(",");

const ids = ({ json }: { readonly json: { readonly rows: readonly (readonly unknown[])[] } }): unknown =>
  json.rows.map(([id]) => id);

describe("A filter by an integer", () => {
  let rowhouse: TestRowhouse;

  before(async () => {
    rowhouse = await rowhouseFor({ sql: SCRIPT, settings: { trace_debug: true } });
  });

  for (const table of ["vals", "indexed", "shown"]) {
    it(`finds the rows that its published statement finds: ${table}`, async () => {
      for (const column of ["id", "i", "n", "r", "t", "b"]) {
        for (const wanted of WANTED) {
          for (const operator of ["exact=", "not=", "in=10,", "notin=10,"]) {
            const filter = `${column}__${operator}${encodeURIComponent(wanted)}`;
            const page = await rowhouse.get(`/library/${table}.json?_shape=arrays&_nosuggest=1&${filter}`);
            const { sql, params } = page.json.query as { sql: string; params: Record<string, string> };
            const values = new URLSearchParams({ sql, _shape: "arrays", ...params });
            const published = await rowhouse.get(`/library.json?${values.toString()}`);

            expect(ids(page), filter).to.deep.equal(ids(published));
            expect(page.json.filtered_table_rows_count, filter).to.equal(page.json.rows.length);
          }
        }
      }
    });
  }

  it("converts the text once and not for each row, which the page does not show", async () => {
    const { json, text } = await rowhouse.get("/library/vals.json?i=11&t=11&_trace=1");

    expect(json.query.sql).to.include('where "i" = :p0 and "t" = :p1');
    expect(json.query.params).to.deep.equal({ p0: "11", p1: "11" });
    expect(text).to.include('\\"i\\" = cast(:p0 as integer) and \\"t\\" = :p1');
  });

  it("converts the texts of a list once, too", async () => {
    const { json, text } = await rowhouse.get("/library/vals.json?i__in=11,x,1.5&t__in=11&_trace=1");

    expect(json.query.sql).to.include("where i in (:p0, :p1, :p2) and t in (:p3)");
    expect(json.query.params).to.deep.equal({ p0: "11", p1: "x", p2: "1.5", p3: "11" });
    expect(text).to.include("i in (cast(:p0 as integer), :p1, :p2) and t in (:p3)");
  });
});
