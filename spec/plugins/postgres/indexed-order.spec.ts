import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { tracedPlan } from "./traced-plan.js";

const COLUMNS: Readonly<Record<string, string>> = {
  n: "case when i % 4 > 0 then i % 7 end",
  t: "case when i % 5 > 0 then 'é' || i % 3 end",
  d: "case when i % 3 > 0 then date '2020-01-01' + i end",
  b: "case when i % 4 > 0 then decode(to_hex(i % 6 + 16), 'hex') end",
  f: "case i % 5 when 0 then null when 1 then float8 'NaN' when 2 then '-Infinity' else i end",
};
const ROWS = 30;

const SCRIPT = `
  create table plain (id int primary key, n int, t text, d date, b bytea, f float8);
  insert into plain select i, ${Object.values(COLUMNS).join(", ")} from generate_series(1, ${ROWS}) as i order by i % 11;
  create table indexed (like plain including all);
  insert into indexed select * from plain;
  ${Object.keys(COLUMNS)
    .map((name) => `create index on indexed (${name});`)
    .join(" ")}
  create table many (id int primary key, n int, t text);
  insert into many select i, nullif(i % 5000, 0) from generate_series(1, 50000) as i;
  create index on many (n);
  analyze many;`;

interface Page {
  readonly rows: readonly { readonly id: number }[];
  readonly next_url: string | null;
}

describePostgres("rows sorted by an indexed column of PostgreSQL that has NULL", (server) => {
  let rowhouse: TestRowhouse;
  let uri: string;
  before(async () => {
    uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor({ settings: { trace_debug: true } });
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  async function idsOf(path: string): Promise<readonly number[]> {
    const ids: number[] = [];
    let url: string | null = path;
    while (url !== null && ids.length <= ROWS) {
      const { json, status, text } = await rowhouse.get(url);
      expect(status, text).to.equal(200);
      const { rows, next_url }: Page = json as Page;
      ids.push(...rows.map(({ id }) => id));
      url = next_url;
    }
    return ids;
  }

  for (const name of Object.keys(COLUMNS)) {
    for (const sort of ["_sort", "_sort_desc"]) {
      for (const more of ["", "&id__gt=7", "&_labels=on", `&_nocol=${name}`]) {
        it(`have the order of those without an index on all pages: ?${sort}=${name}${more}`, async () => {
          const query = `${sort}=${name}${more}&_size=4&_shape=objects&_nosuggest=1`;
          const expected = await idsOf(`/shop/plain.json?${query}`);

          expect(await idsOf(`/shop/indexed.json?${query}`)).to.deep.equal(expected);
          expect(new Set(expected).size).to.equal(more.startsWith("&id") ? ROWS - 7 : ROWS);
        });
      }
    }
  }

  for (const query of [
    "_sort=n",
    "_sort_desc=n",
    "_sort=n&_next=2500,12500",
    "_sort_desc=n&_next=2500,12500",
  ]) {
    it(`are read by the index, without a look at all rows: ?${query}`, async () => {
      const page = await rowhouse.get(`/shop/many.json?${query}&_size=5&_nosuggest=1&_nocount=1&_trace=1`);
      const plan = await tracedPlan(server(), uri, page, "from many");

      expect(plan).to.contain("many_n_idx");
      expect(plan).not.to.contain("Seq Scan");
    });
  }
});
