import { expect } from "chai";
import { tildeEncode } from "rowhouse/plugin-api/http";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { expectPositions } from "../tables/positions.js";

/** Values of a type, in its order: the first two are equal, and the text of the others has another order. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  boolean: ["false", "false", "true"],
  mood: ["sad", "sad", "ok", "happy"],
  uuid: ["00000000-0000-0000-0000-000000000009", "00000000-0000-0000-0000-000000000009"],
  interval: ["-3 days", "-3 days", "9 hours", "10 hours", "1 year 2 mons 3 days 04:05:06.7"],
  money: ["-$5.00", "-$5.00", "$9.00", "$1,000.00"],
  time: ["09:00", "09:00", "24:00"],
  timetz: ["09:00+01", "09:00+01", "09:00-15:59"],
  inet: ["9.0.0.0/8", "9.0.0.0/8", "10.0.0.1", "::1"],
  "bit varying": ["0", "0", "101"],
  int4range: ["empty", "empty", "[9,10)", "[10,12)"],
  datemultirange: ["{}", "{}", "{[2024-01-01,2024-02-01)}"],
  bytea: ["\\x00", "\\x00", "\\x41", "\\x5c", "\\x5c783431", "\\xff00"],
  "integer[]": ["{}", "{}", "{9,NULL}", "{10}", "{{11,12}}"],
  "text[]": ['{"a,b"}', '{"a,b"}', '{b,"NULL"}'],
  numeric: ["-Infinity", "-Infinity", "9", "10", "Infinity", "NaN"],
  "double precision": ["-Infinity", "-Infinity", "9", "10", "Infinity", "NaN"],
  feeling: ["sad", "sad", "ok", "happy"],
  tags: ["{}", "{}", "{9,NULL}", "{10}"],
  span: ["empty", "empty", "[9,10)", "[10,12)"],
  hundreds: ["-5", "-5", "9", "10"],
  "timestamp with time zone": ["0044-03-15 00:00:00+00 BC", "0044-03-15 00:00:00+00 BC", "infinity"],
};

/** Types that have an order, but no `min` and `max`: there, their text decides. */
const WITHOUT_EXTREMES: ReadonlySet<string> = new Set(
  "boolean,uuid,bit varying,int4range,datemultirange,bytea,span".split(","),
);

/** Types without an order: their text decides. */
const UNORDERED: Readonly<Record<string, readonly string[]>> = {
  json: ["{}", "{}", '{"a": 1}', "[1]"],
  jsonb: ["{}", "{}", '{"a": 1}', "[1]"],
  xml: ["<a/>", "<a/>", "<b/>"],
  pair: ["(1,a)", "(1,a)", '(2,"b ""c""")', "(,)"],
  point: ["(1,2)", "(1,2)", "(10,2)"],
  jsonpath: ["$", "$", '$."a"'],
  regclass: ["pg_class", "pg_class", "-"],
  box: ["(1,1),(0,0)", "(1,1),(0,0)", "(3,3),(2,2)"],
};

const ALL = Object.entries({ ...TYPES, ...UNORDERED });

const SCRIPT = `
  create type mood as enum ('sad', 'ok', 'happy');
  create domain feeling as mood;
  create domain tags as integer[];
  create domain span as int4range;
  create domain thousands as integer check (value < 10000);
  create domain hundreds as thousands check (value < 1000);
  create type pair as (x int, label text);
  create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
  create table words (id int primary key, word text collate loose);
  insert into words values (1, 'abc'), (2, 'ABC'), (3, 'ab'), (4, '2024-01-31'), (5, '["a"]'), (6, null), (7, 'Abc');
  create table reals (k float8 primary key, n int);
  insert into reals values (0.5, 1), ('NaN', 2), ('Infinity', 3), ('-Infinity', 4);
  ${["smallint", "integer", "bigint", "oid"]
    .map(
      (type) =>
        `create table n_${type} (id int primary key, v ${type}); insert into n_${type} values (1, 1), (2, 2);`,
    )
    .join("\n")}
  create table pairs (k pair primary key, n int);
  insert into pairs values ('(1,a)', 1), ('(2,"b c")', 2), ('(10,)', 3);
  create table named (name text collate loose, k pair, n int, primary key (name, k));
  insert into named values ('B', '(1,a)', 1), ('B', '(2,)', 2), ('C', '(1,a)', 3);
  create table classes (k regclass primary key, n int);
  insert into classes select c.oid, row_number() over (order by c.oid) from pg_class c where c.oid in
    ('pg_class'::regclass, 'pg_type'::regclass, 'pg_proc'::regclass);
  create table feelings (k feeling primary key, n int); insert into feelings values ('sad', 1), ('ok', 2), ('happy', 3);
  create table exact (k numeric primary key, n int); insert into exact select k, n from reals;
  ${ALL.map(
    ([type, values], place) =>
      `create table t${place} (id int primary key, v ${type});` +
      [null, null, ...values]
        .map(
          (value, id) => `insert into t${place} values (${id}, ${value === null ? "null" : `'${value}'`});`,
        )
        .join(""),
  ).join("\n")}`;

interface FacetPage {
  readonly facet_results: Readonly<
    Record<
      string,
      {
        readonly results: readonly {
          readonly value: unknown;
          readonly count: number;
          readonly toggle_url: string;
        }[];
      }
    >
  >;
}

interface ColumnsPage {
  readonly columns: readonly [unknown, { readonly min: unknown; readonly max: unknown }];
}

interface TablePage {
  readonly rows: readonly (readonly unknown[])[];
  readonly next_url: string | null;
}

describePostgres("the order of rows on PostgreSQL", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "types", mutable: true });
  });

  async function ids(path: string): Promise<readonly unknown[]> {
    const { status, text, json } = await rowhouse.get(`/types/${path}`);
    expect(status, `${path}: ${text}`).to.equal(200);
    const { rows, next_url: next } = json as TablePage;
    const here = rows.map(([id]) => id);
    const query = next === null ? null : new URL(next).search;
    return query === null ? here : [...here, ...(await ids(`${path.split("?")[0]}${query}`))];
  }

  for (const [place, [type]] of ALL.entries())
    it(`counts the rows before a page by ${type}`, async () => {
      for (const order of ["_sort=v", "_sort_desc=v"])
        await expectPositions(rowhouse, `/types/t${place}?_size=1&${order}`);
    });

  for (const table of ["words", "reals", "pairs", "classes", "feelings", "exact"])
    it(`counts the rows before a page by the key of ${table}`, () =>
      expectPositions(rowhouse, `/types/${table}?_size=1`));

  for (const [place, [type, values]] of ALL.entries()) {
    it(`pages by ${type} without losing or repeating a row`, async () => {
      const range = Array.from({ length: values.length + 2 }, (_, id) => id);
      for (const order of ["_sort=v", "_sort_desc=v"]) {
        const query = `t${place}.json?_nosuggest=1&${order}`;
        const whole = await ids(`${query}&_size=max`);
        expect(whole.toSorted(), order).to.deep.equal(range);
        expect(await ids(`${query}&_size=1`), order).to.deep.equal(whole);
        if (type in TYPES && order === "_sort=v") expect(whole).to.deep.equal(range);
      }
    });
  }

  for (const [place, [type]] of ALL.entries()) {
    if (!(type in TYPES) || WITHOUT_EXTREMES.has(type)) continue;
    it(`finds the least and the greatest ${type} by this order`, async () => {
      const sorted = await rowhouse.get(`/types/t${place}.json?_sort=id&v__notnull=1`);
      const values = (sorted.json as TablePage).rows.map(([, value]) => value);
      const ends = [values[0], values.at(-1)];
      const grouped = await rowhouse.get(`/types/t${place}.json?_agg=min(v),max(v)&_shape=arrays`);
      expect((grouped.json as TablePage).rows).to.deep.equal([ends]);
      const statistics = await rowhouse.get(`/types/t${place}/-/columns.json`);
      const [, { min, max }] = (statistics.json as ColumnsPage).columns;
      expect([min, max]).to.deep.equal(ends);
    });
  }

  for (const [place, [type]] of ALL.entries()) {
    it(`tells NULL from values of ${type} whose parts are NULL`, async () => {
      for (const [filter, isNull] of [
        ["isnull", true],
        ["notnull", false],
        ["isblank", true],
        ["notblank", false],
      ] as const) {
        const found = await ids(`t${place}.json?_nosuggest=1&_sort=id&v__${filter}=1`);
        expect(found.slice(0, 2).join() === "0,1", filter).to.equal(isNull);
        expect(found, filter).to.have.length(isNull ? 2 : (ALL[place]?.[1].length ?? 0));
      }
    });
  }

  for (const [place, [type]] of ALL.entries()) {
    it(`filters by each ${type} that a facet counts`, async () => {
      const { json } = await rowhouse.get(`/types/t${place}.json?_facet=v`);
      const { results } = (json as FacetPage).facet_results["v"] ?? { results: [] };
      expect(results).not.to.deep.equal([]);
      for (const { count, toggle_url: url } of results) {
        const path = new URL(url).search;
        expect(await ids(`t${place}.json${path}`), path).to.have.length(count);
      }
      // JSON has null for infinities and NaN.
      const [finite, others] = [true, false].map((isFinite) =>
        results.filter(({ value }) => (value !== null) === isFinite),
      );
      const rowsOf = (some: typeof results = []): number => some.reduce((sum, { count }) => sum + count, 0);
      // Bytes that are not UTF-8 are an object.
      const values = finite?.map(({ value }) => (typeof value === "object" ? value : String(value)));
      const chosen = encodeURIComponent(JSON.stringify(values));
      expect(await ids(`t${place}.json?v__in=${chosen}`)).to.have.length(rowsOf(finite));
      expect(await ids(`t${place}.json?v__notin=${chosen}`)).to.have.length(rowsOf(others));
    });
  }

  for (const type of ["smallint", "integer", "bigint", "oid"]) {
    it(`compares ${type} with numbers outside of its range`, async () => {
      const table = `n_${type}.json`;
      const all = [1, 2];
      for (const number of ["99999999999999999999", "1.5"]) {
        expect(await ids(`${table}?v__lt=${number}&_sort=id`)).to.deep.equal(number === "1.5" ? [1] : all);
        expect(await ids(`${table}?v=${number}`)).to.deep.equal([]);
        expect(await ids(`${table}?v__not=${number}&_sort=id`)).to.deep.equal(all);
      }
      expect(await ids(`${table}?v__gt=-5&_sort=id`)).to.deep.equal(all);
    });
  }

  it("finds infinite numbers in lists", async () => {
    for (const table of ["reals", "exact"]) {
      expect(await ids(`${table}.json?k__in=9e999,0.5`)).to.have.length(2);
      expect(await ids(`${table}.json?k__notin=["-9e999"]`)).to.have.length(3);
    }
  });

  it("pages by keys of composite, domain and object identifier types, and finds their rows", async () => {
    for (const table of ["pairs", "classes", "feelings"]) {
      const all = await ids(`${table}.json?_size=max`);
      expect(all).to.have.length(3);
      expect(await ids(`${table}.json?_size=1`)).to.deep.equal(all);
      expect(await ids(`${table}.json?_size=1&_sort=n`)).to.deep.equal(all);
      for (const key of all) {
        const { status, text } = await rowhouse.get(`/types/${table}/${tildeEncode(String(key))}.json`);
        expect(status, text).to.equal(200);
      }
    }
    const { status } = await rowhouse.get("/types/pairs/nonsense.json");
    expect(status).to.equal(404);
  });

  it("pages by a key of a text with a collation and a composite type", async () => {
    const all = await ids("named.json?_col=n&_size=max");

    expect(all).to.have.length(3);
    expect(await ids("named.json?_col=n&_size=1")).to.deep.equal(all);
  });

  it("pages, filters and suggests facets in a collation in which different texts are equal", async () => {
    expect(await ids("words.json?_sort=word&_size=1")).to.deep.equal(await ids("words.json?_sort=word"));
    expect(await ids("words.json?word=ABC")).to.deep.equal([1, 2, 7]);
    expect(await ids("words.json?word__contains=B")).to.deep.equal([1, 2, 3, 7]);
    expect(await ids("words.json?word__startswith=ab&_size=2")).to.deep.equal([1, 2, 3, 7]);
    expect(await ids("words.json?word__glob=a*")).to.deep.equal([1, 3]);
    expect(await ids("words.json?word__date=2024-01-31")).to.deep.equal([4]);
    expect(await ids("words.json?word__arraycontains=a")).to.deep.equal([5]);
    expect(await ids("words.json?_facet_date=word&_facet=word&_facet_array=word&_size=max")).to.have.length(
      7,
    );
    const { status } = await rowhouse.get("/types/words/-/autocomplete.json?q=AB&column=word");
    expect(status).to.equal(200);
    const grouped = await rowhouse.get("/types/words.json?_group=date(word,month)&_agg=count&_shape=arrays");
    expect((grouped.json as TablePage).rows).to.deep.include(["2024-01", 1]);
  });

  it("finds no array in values that only look like one", async () => {
    const range = ALL.findIndex(([type]) => type === "int4range");
    expect(await ids(`t${range}.json?v__arraycontains=9`)).to.deep.equal([]);
    expect(await ids(`t${range}.json?v__arraynotcontains=9&_facet_array=v`)).to.have.length(6);
  });

  for (const table of ["reals", "exact"]) {
    it(`finds rows of ${table} whose key is infinite or NaN by their links`, async () => {
      const { text } = await rowhouse.get(`/types/${table}`);
      const links = new Set(
        text.match(
          new RegExp(
            `(?<=href=")/types/${table}/[^"?-][^"?]*(?=")|(?<=href=")/types/${table}/-9e999(?=")`,
            "g",
          ),
        ),
      );
      expect([...links].toSorted()).to.have.length(4);
      const found = await Promise.all([...links].map((link) => rowhouse.get(`${link}.json?_shape=array`)));
      expect(found.map(({ json }) => (json as [{ n: number }])[0]?.n).toSorted()).to.deep.equal([1, 2, 3, 4]);
    });
  }
});
