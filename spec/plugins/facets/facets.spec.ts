import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import { definePlugin, quoteIdentifier } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";
import { whileInTime } from "../../../plugins/facets/read.js";

interface Value {
  readonly value: unknown;
  readonly label: unknown;
  readonly count: number;
  readonly toggle_url: string;
  readonly selected: boolean;
}

const counts = (results: readonly Value[]) => results.map(({ value, count }) => [value, count]);

describe("facets", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      tables: {
        makers: [{ id: 1, name: "Acme" }],
        products: `id integer primary key, kind text, maker_id integer references makers(id), tags text, made text, _u text`,
        counters: "id integer primary key, value text, count integer, n integer",
      },
      sql: `
        insert into products values
          (1, 'a', 1, '["x","x","y"]', '2024-01-01 10:00', 'p'), (2, 'b', 1, '["y"]', '2024-01-01', 'p'),
          (3, 'a', 9, '[]', '2024-02-29', 'q'), (4, null, null, null, 'never', 'q');
        insert into counters values (1, 'a', 1, 1), (2, 'a', 2, 1), (3, 'b', 2, 2);`,
      metadata: { databases: { library: { tables: { counters: { facets: ["n"] } } } } },
    });
  });

  const facets = async (path: string) => (await rowhouse.get(`/library/${path}`)).json.facet_results;

  it("are not reported as too slow when they are shown", async () => {
    const { text } = await rowhouse.get("/library/products?_facet=kind");

    expect(text).to.include("_facet=kind").and.not.include("facets-timed-out");
  });

  it("are listed by type, and in the order of the request if they are repeated", async () => {
    const repeated = await facets(
      "counters.json?_facet_date=value&_facet=value&_facet=n&_facet=value&_facet=id",
    );

    const listed = Object.entries<{
      readonly name: string;
      readonly type: string;
      readonly hideable: boolean;
    }>(repeated);
    expect(listed.map(([key, { name, type, hideable }]) => [key, name, type, hideable])).to.deep.equal([
      ["n", "n", "column", false],
      ["value", "value", "column", true],
      ["n_2", "n", "column", true],
      ["value_2", "value", "column", true],
      ["id", "id", "column", true],
      ["value_3", "value", "date", true],
    ]);
  });

  it("count values, the most frequent first, NULL left out", async () => {
    const { kind } = await facets("products.json?_facet=kind");

    expect(counts(kind.results)).to.deep.equal([
      ["a", 2],
      ["b", 1],
    ]);
  });

  it("count rows that hold an element, each once", async () => {
    const { tags } = await facets("products.json?_facet_array=tags");

    expect(counts(tags.results)).to.deep.equal([
      ["y", 2],
      ["x", 1],
    ]);
  });

  it("count days", async () => {
    const { made } = await facets("products.json?_facet_date=made");

    expect(counts(made.results)).to.deep.equal([
      ["2024-01-01", 2],
      ["2024-02-29", 1],
    ]);
  });

  it("show a foreign key by its label, and by itself where it leads nowhere", async () => {
    const { maker_id } = await facets("products.json?_facet=maker_id");

    expect(maker_id.results.map(({ label }: Value) => label)).to.deep.equal(["Acme", 9]);
  });

  it("are not misled by columns named like what is counted", async () => {
    const { value, count } = await facets("counters.json?_facet=value&_facet=count");

    expect(counts(value.results)).to.deep.equal([
      ["a", 2],
      ["b", 1],
    ]);
    expect(counts(count.results)).to.deep.equal([
      [2, 2],
      [1, 1],
    ]);
  });

  it("link to the page with their value, and back", async () => {
    const { kind } = await facets("products.json?_facet=kind&tags__not=");
    const [first] = kind.results;
    const selected = await facets(first.toggle_url.slice(`${rowhouse.origin}/library/`.length));

    expect(first.toggle_url).to.equal(
      `${rowhouse.origin}/library/products.json?_facet=kind&tags__not=&kind=a`,
    );
    expect(selected.kind.results[0].selected).to.equal(true);
    expect(selected.kind.results[0].toggle_url).to.equal(
      `${rowhouse.origin}/library/products.json?_facet=kind&tags__not=`,
    );
    expect(kind.toggle_url).to.equal("/library/products.json?tags__not=");
  });

  it("use the operator for columns that begin with an underscore", async () => {
    const { _u } = await facets("products.json?_facet=_u");

    expect(_u.results[0].toggle_url).to.match(/&_u__exact=p$/);
  });

  it("count infinities, and lead to them", async () => {
    const endless = await rowhouseFor({
      tables: { sums: "total real" },
      sql: "insert into sums values (9e999), (9e999), (-9e999), (1)",
    });

    const { json } = await endless.get("/library/sums.json?_facet=total");

    const [{ toggle_url, count }] = json.facet_results.total.results;
    const { pathname, search } = new URL(toggle_url);
    const page = await endless.get(pathname + search);
    expect(count).to.equal(2);
    expect(page.json.filtered_table_rows_count).to.equal(2);
    expect(page.json.facet_results.total.results[0].selected).to.equal(true);
  });

  it("use the operator for columns whose name could be taken for one with an operator", async () => {
    const odd = await rowhouseFor({ tables: { people: [{ id: 1, age__gt: 3, a__b: 5 }] } });

    const { json } = await odd.get("/library/people.json?_facet=age__gt&_facet=a__b");

    expect(json.facet_results.age__gt.results[0].toggle_url).to.match(/&age__gt__exact=3$/);
    expect(json.facet_results.a__b.results[0].toggle_url).to.match(/&a__b__exact=5$/);
  });

  it("say the same on every page, and lead to the first", async () => {
    const first = await facets("products.json?_facet=kind&_size=1");
    const second = await facets("products.json?_facet=kind&_size=1&_next=1");

    expect(second).to.deep.equal(first);
  });

  it("cannot be taken away when the metadata ask for them", async () => {
    const { n } = await facets("counters.json");

    expect(n.hideable).to.equal(false);
  });

  it("show that there are more values", async () => {
    const { kind } = await facets("products.json?_facet=kind&_facet_size=1");

    expect(kind).to.deep.include({ truncated: true });
    expect(kind.results).to.have.length(1);
  });

  it("are suggested for columns with few different values", async () => {
    const { json } = await rowhouse.get("/library/products.json?_facet=kind");

    expect(json.suggested_facets.map(({ name, type }: Record<string, string>) => [name, type])).to.deep.equal(
      [
        ["maker_id", undefined],
        ["_u", undefined],
        ["made", "date"],
        ["tags", "array"],
      ],
    );
  });

  for (const query of ["_nosuggest=1", "_nofacet=1", "_next=1", "_shape=objects&_nofacet=1"]) {
    it(`are not suggested with ${query}`, async () => {
      const { json } = await rowhouse.get(`/library/products.json?${query}`);

      expect(json.suggested_facets).to.deep.equal([]);
    });
  }

  it("of an unknown column are a mistake in the request", async () => {
    const { status, json } = await rowhouse.get("/library/products.json?_facet=nosuch");

    expect(status).to.equal(400);
    expect(json.error).to.equal("no such column: nosuch");
  });

  for (const name of ["true", "a]b", "[]", '"'])
    it(`reject names that SQLite would take for a constant: ${name}`, async () => {
      for (const argument of ["_facet", "_facet_date", "_facet_array"]) {
        const { status, json } = await rowhouse.get(
          `/library/products.json?${argument}=${encodeURIComponent(name)}`,
        );

        expect([status, json.error], argument).to.deep.equal([400, `no such column: ${name}`]);
      }
    });

  it("of a plugin are never computed for an unknown column, which a statement takes for a constant", async () => {
    const initials = definePlugin({
      name: "initials",
      register_facet_classes: () => ({
        type: "initial",
        values: async ({ selection, column }) => {
          const initial = `substr(${quoteIdentifier(column)}, 1, 1)`;
          const { rows } = await selection.database.read(
            `select ${initial}, count(*) ${selection.fromWhere} group by 1`,
            selection.params,
          );
          return rows.map(([value = null, count]) => {
            const argument = [`${column}__startswith`, String(value)] as const;
            return { value, label: value, count: Number(count), argument };
          });
        },
        suggest: async () => [],
      }),
    });
    const tables = { docs: [{ id: 1, kind: "a" }] };
    const withInitials = await rowhouseFor({ tables, plugins: [initials] });

    const known = await withInitials.get("/library/docs.json?_facet_initial=kind");
    const unknown = await withInitials.get("/library/docs.json?_facet_initial=nosuch");

    expect(known.json.facet_results.kind.results[0]).to.include({ value: "a", count: 1 });
    expect([unknown.status, unknown.json.error]).to.deep.equal([400, "no such column: nosuch"]);
  });

  it("can be switched off for callers, not for the metadata", async () => {
    const off = await rowhouseFor({
      tables: { docs: [{ id: 1, kind: "a" }] },
      settings: { allow_facet: false },
    });

    const { status, json } = await off.get("/library/docs.json?_facet_size=3");

    expect(status).to.equal(400);
    expect(json.error).to.equal("_facet= is not allowed");
  });
});

const keys = (reply: string): readonly string[] =>
  [...reply.matchAll(/"(\w+)": \{"name"/g)].map(([, name = ""]) => name);

it("Facets of columns named by numbers come in the order of the request", async () => {
  const rowhouse = await rowhouseFor({
    sql: `create table sales (id integer primary key, shop, "2020", "2019", "10");
          insert into sales values (1, 'a', 1, 2, 3), (2, 'a', 1, 3, 3);`,
  });
  const path = "/library/sales.json?_facet=shop&_facet=2020&_facet=2019&_facet=10";

  const { text, json } = await rowhouse.get(path);
  const extra = await rowhouse.get(`${path}&_extra=facet_results`);

  expect(keys(text)).to.deep.equal(["shop", "2020", "2019", "10"]);
  expect(keys(extra.text)).to.deep.equal(["shop", "2020", "2019", "10"]);
  expect(json.facet_results["2019"].results).to.have.length(2);
});

it("A facet of arrays that is suggested counts empty texts as no elements, and so do its filters", async () => {
  const rowhouse = await rowhouseFor({
    sql: `create table notes (id integer primary key, tags text);
          insert into notes values (1, '["a"]'), (2, ''), (3, '["a","b"]'), (4, null);`,
  });

  const { suggested_facets: suggested } = (await rowhouse.get("/library/notes.json")).json;
  const { facet_results: results } = (await rowhouse.get(suggested[0].toggle_url)).json;
  const selected = await rowhouse.get(results.tags.results[0].toggle_url);
  const others = await rowhouse.get("/library/notes.json?tags__arraynotcontains=a&_shape=arrayfirst");

  expect(suggested).to.have.length(1);
  expect(counts(results.tags.results)).to.deep.equal([
    ["a", 2],
    ["b", 1],
  ]);
  expect(selected.json.filtered_table_rows_count).to.equal(2);
  expect(selected.json.query.sql).to.include("where :p0 in (select value from json_each([notes].[tags]))");
  expect(others.json).to.deep.equal([2, 4]);
});

it("A facet is not suggested for a column with the empty name, because no argument requests it", async () => {
  const rowhouse = await rowhouseFor({
    sql: `create table notes (id integer primary key, "" text, kind text);
      insert into notes ("", kind) values ('2024-01-01', 'a'), ('2024-01-01', 'a'), ('2024-01-02', 'b');`,
  });

  const { suggested_facets: suggested } = (await rowhouse.get("/library/notes.json")).json;

  expect(suggested.map(({ name }: { name: string }) => name)).to.deep.equal(["kind"]);
});

describe("suggesting facets", () => {
  const tables = { wide: Array.from({ length: 200 }, (_, index) => `c${index} text`).join(", ") };
  const sql = `insert into wide (c0, c199) values ('a', 'a'), ('a', 'a'), ('b', 'b')`;

  it("tries every column, however many there are", async () => {
    const patient = { sql_time_limit_ms: 60_000, facet_suggest_time_limit_ms: 60_000 };
    const rowhouse = await rowhouseFor({ tables, sql, settings: patient });

    const { json } = await rowhouse.get("/library/wide.json?_col=c0");

    const names = json.suggested_facets.map(({ name }: { name: string }) => name);
    expect(names).to.deep.equal(["c0", "c199"]);
  });

  it("takes columns with two values to as many as are listed, of which one repeats", async () => {
    const rows = Array.from({ length: 6 }, (_, index) => ({
      id: index + 1,
      one: "same",
      two: index === 5 ? "last" : "first",
      three: index % 3,
      four: index % 4,
      all: index,
      nulls: index < 3 ? null : index,
      repeated: index < 3 ? null : Math.min(index, 4),
    }));
    const rowhouse = await rowhouseFor({ tables: { rows } });

    const { json } = await rowhouse.get("/library/rows.json?_facet_size=3");

    const names = json.suggested_facets.map(({ name }: { name: string }) => name);
    expect(names).to.deep.equal(["two", "three", "repeated"]);
  });

  it("are not suggested for long BLOBs, which are not read for it", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table photos (id integer primary key, kind blob, photo blob, mark);
        insert into photos values (1, x'01', zeroblob(300000), zeroblob(300000)), (2, x'01', zeroblob(300000), 'a'),
          (3, x'02', zeroblob(300001), 'a'), (4, x'02', zeroblob(300001), 'b');`,
    });

    for (const path of ["photos.json", "photos.json?_col=kind&_col=photo&_col=mark"]) {
      const { json } = await rowhouse.get(`/library/${path}`);
      const names = json.suggested_facets.map(({ name }: { name: string }) => name);
      expect(names).to.deep.equal(["kind", "mark"]);
    }
  });

  it("takes few statements for a table with few rows", async () => {
    const columns = Array.from({ length: 30 }, (_, index) => `c${index}`);
    const row = Object.fromEntries(columns.map((name, index) => [name, index % 3 ? "2020-01-02" : '["a"]']));
    const rows = [1, 2, 3].map(() => row);
    const rowhouse = await rowhouseFor({ tables: { wide: rows }, settings: { trace_debug: true } });

    const { json } = await rowhouse.get("/library/wide.json?_trace=1");

    const suggested = json.suggested_facets.map(({ name, type }: Record<string, string>) => [name, type]);
    const arrays = columns.filter((_, index) => index % 3 === 0);
    const dates = columns.filter((_, index) => index % 3 !== 0);
    expect(suggested).to.deep.equal([
      ...dates.map((name) => [name, "date"]),
      ...arrays.map((name) => [name, "array"]),
    ]);
    const statements = json["_trace"].traces.map(({ sql }: { sql: string }) => sql);
    const forSuggestions = statements.filter((sql: string) => sql.includes("materialized"));
    expect(forSuggestions.length).to.equal(6);
  });

  it("takes no statement for a filter that selects no row, and none for columns without values", async () => {
    const columns = Array.from({ length: 10 }, (_, index) => `c${index} text`);
    const rowhouse = await rowhouseFor({
      sql: `create table sparse (id integer primary key, ${columns.join(", ")}, tags text);
        insert into sparse (id, tags) values (1, '["a"]'), (2, '["a", "b"]')`,
      settings: { trace_debug: true },
    });
    const suggesting = async (query: string) => {
      const { json } = await rowhouse.get(`/library/sparse.json?${query}&_trace=1`);
      const statements: readonly string[] = json["_trace"].traces.map(({ sql }: { sql: string }) => sql);
      return { suggested: json.suggested_facets.length, statements: statements.length };
    };

    // The rows.
    expect(await suggesting("id=3")).to.deep.equal({ suggested: 0, statements: 1 });
    // And days, arrays, the types of `tags`, and its lists.
    expect(await suggesting("id=1")).to.deep.equal({ suggested: 1, statements: 5 });
  });

  it("ends when it has taken three times as long as one column may, and keeps what it found", async () => {
    const columns = Array.from({ length: 1_000 }, (_, index) => `c${index}`);

    const found = await whileInTime({ timeLimitMs: 10 }, columns, async (column) => {
      await setTimeout(5);
      return column;
    });

    expect(found.length).to.be.within(1, 999);
    expect(found).to.deep.equal(columns.slice(0, found.length));
  });
});
