import { expect } from "chai";
import type { Plugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { SHOP } from "./shop.js";

interface TablePage {
  readonly rows: readonly (readonly unknown[])[];
  readonly next: string | null;
  readonly next_url: string | null;
  readonly columns: readonly string[];
  readonly primary_keys: readonly string[];
  readonly filtered_table_rows_count: number | null;
  readonly facet_results: Readonly<
    Record<string, { readonly results: readonly { readonly value: unknown; readonly count: number }[] }>
  >;
}

describePostgres("a PostgreSQL database", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(SHOP);
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  const get = async (path: string): Promise<TablePage> => {
    const { status, text, json } = await rowhouse.get(`/shop/${path}`);
    expect(status, text).to.equal(200);
    return json as TablePage;
  };
  const ids = async (filters: string): Promise<readonly unknown[]> =>
    (await get(`books.json?_col=title&_nosuggest=1&${filters}`)).rows.map(([, title]) => title);

  /** The books that a filter by a JSON list finds. */
  const listed = (filter: string, values: readonly unknown[]): Promise<readonly unknown[]> =>
    ids(`${filter}=${encodeURIComponent(JSON.stringify(values))}`);

  it("gives every value exactly, made by the engine", async () => {
    const { text } = await rowhouse.get("/shop/books.json?_shape=arrays&_nosuggest=1");

    expect(text).to.contain(
      '[1, "Emma", 1, 12.50, null, "{classic,love}", "{\\"a\\": 1}", "1815-12-23", "2020-01-02 01:04:05.678+00", ' +
        '{"$base64": true, "encoded": "/wA="}, true, "happy", "12-3", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", 4]',
    );
    expect(text).to.contain("[9007199254740993, ");
    expect(text).to.contain(", 123456789012345678.01, 1e+20, ");
  });

  it("gives the same values as CSV and as a stream of JSON lines", async () => {
    const csv = await rowhouse.get("/shop/books.csv?_stream=1&_col=price&_col=rating&_col=available");

    expect(csv.text.split("\r\n").slice(0, 4)).to.deep.equal([
      "id,price,rating,available",
      "1,12.50,inf,true",
      "3,,12.0,",
      "9007199254740993,123456789012345678.01,1e+20,false",
    ]);
  });

  it("finds by a long list what a short one finds", async () => {
    const lists: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
      id: [["1", "9007199254740993"], [3], ["x"]],
      title: [["Emma"], ["Ulysses", '"\\,{}'], ["NULL"]],
      price: [["12.5"], [12.5], ["123456789012345678.01"]],
      rating: [["12"], ["Infinity"], [1e20]],
      tags: [["{classic}"], ["{classic,love}"]],
      published: [["1815-12-23"], ["1922-02-02", null]],
      available: [["true"], [false]],
      mood: [["happy", "sad"]],
      number: [["12-3"]],
      uid: [["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]],
      cover: [[{ $base64: true, encoded: "/wA=" }, null]],
    };
    for (const [column, several] of Object.entries(lists)) {
      for (const values of several) {
        const long = [...values, ...Array<unknown>(1_000).fill(values.at(-1))];
        for (const filter of [`${column}__in`, `${column}__notin`]) {
          expect(await listed(filter, long), `${filter}=${values.join()}`).to.deep.equal(
            await listed(filter, values),
          );
        }
      }
    }
  });

  for (const [filter, titles] of [
    ["id__exact=9007199254740993", ["Ulysses"]],
    ["id=abc", []],
    ["id__gt=99999999999999999999", []],
    ["title__contains=MM", ["Emma"]],
    ["title__glob=[EU]*", ["Emma", "Ulysses"]],
    ["title__startswith=pers", ["Persuasion"]],
    ["price__gt=12.5", ["Ulysses"]],
    ["price__gte=12.5", ["Emma", "Ulysses"]],
    ["title__in=Emma,Ulysses", ["Emma", "Ulysses"]],
    ["id__in=1,x", ["Emma"]],
    ["id__notin=1", ["Persuasion", "Ulysses"]],
    ["tags__arraycontains=love", ["Emma"]],
    ["tags__arraynotcontains=love", ["Persuasion", "Ulysses"]],
    ["data__arraycontains=2", ["Ulysses"]],
    ["added__date=2020-01-02", ["Emma"]],
    ["published__date=1922-02-02", ["Ulysses"]],
    ["price__isnull=1", ["Persuasion"]],
    ["data__notblank=1", ["Emma", "Ulysses"]],
    ["available=true", ["Emma"]],
    ["mood=sad", ["Persuasion"]],
    ["mood=unknown", []],
    ["uid=a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", ["Emma"]],
    ["rating=Infinity", ["Emma"]],
    ["nosuch=1", []],
    ["_search=ulysses", ["Ulysses"]],
    ['_search="emma"+zebra', []],
    ["_search_title=persuasion", ["Persuasion"]],
    ["_searchmode=raw&_search=emma|ulysses", ["Emma", "Ulysses"]],
    ["_searchmode=raw&_search=pers:*", ["Persuasion"]],
    ["_searchmode=raw&_search=!emma", ["Persuasion", "Ulysses"]],
    ["_searchmode=raw&_search_title=emma+%26+!ulysses", ["Emma"]],
  ] as const) {
    it(`filters by ${filter}`, async () => {
      expect(await ids(filter)).to.deep.equal(titles);
    });
  }

  for (const text of ["'", "(", "a b", "&", "a <-> ", ":*", "a:q", "!"]) {
    it(`answers 400 to the raw search ${text}`, async () => {
      const search = encodeURIComponent(text);
      const { status, text: reply } = await rowhouse.get(
        `/shop/books.json?_searchmode=raw&_search=${search}`,
      );

      expect(status, reply).to.equal(400);
      expect(reply).to.contain("tsquery");
    });
  }

  it("has a page for a row, and 404 for keys that no row can have", async () => {
    expect((await rowhouse.get("/shop/books/9007199254740993.json")).status).to.equal(200);
    expect((await rowhouse.get("/shop/pairs/2,B.json")).status).to.equal(200);
    for (const key of ["abc", "99999999999999999999", "1.5"])
      expect((await rowhouse.get(`/shop/books/${key}.json`)).status, key).to.equal(404);
  });

  /** Every row of a table over pages of `size`. */
  const paged = async (path: string, size: number): Promise<readonly (readonly unknown[])[]> => {
    const rows: (readonly unknown[])[] = [];
    for (let next = ""; ;) {
      const page = await get(`${path}_size=${size}&_nosuggest=1${next}`);
      rows.push(...page.rows);
      const token = /_next=([^&]*)/.exec(page.next_url ?? "")?.[1];
      if (token === undefined) return rows;
      next = `&_next=${token}`;
    }
  };

  it("pages by compound keys, sorted by a column with NULL, without losing or repeating a row", async () => {
    for (const sort of ["", "_sort=c&", "_sort_desc=c&", "_sort=b&"]) {
      const rows = await paged(`pairs.json?${sort}`, 4);
      const whole = (await get(`pairs.json?${sort}_size=max`)).rows;
      expect(rows, sort).to.deep.equal(whole);
      expect(rows).to.have.length(25);
    }
    const [first] = (await get("pairs.json?_sort=c")).rows;
    expect(first?.[2]).to.equal(null);
  });

  it("pages tables without keys, views and materialised views", async () => {
    const rows = await paged("keyless.json?", 7);
    expect(rows.map(([a]) => a)).to.deep.equal(Array.from({ length: 25 }, (_, index) => index + 1));
    expect((await get("cheap.json")).rows).to.have.length(1);
    expect((await get("totals.json?_sort=author_id")).rows).to.deep.equal([
      [1, 2],
      [2, 1],
    ]);
  });

  it("has facets of columns, days and array elements", async () => {
    const { facet_results: facets } = await get(
      "books.json?_facet=author_id&_facet=available&_facet=data&_facet_array=tags&_facet_date=published&_nosuggest=1",
    );
    const values = (name: string) => facets[name]?.results.map(({ value, count }) => [value, count]);

    expect(values("author_id")).to.deep.equal([
      [1, 2],
      [2, 1],
    ]);
    expect(values("available")).to.deep.equal([
      ["false", 1],
      ["true", 1],
    ]);
    expect(values("tags")).to.deep.equal([
      ["classic", 2],
      ["love", 1],
    ]);
    expect(values("published")?.length).to.equal(3);
  });

  it("labels foreign keys and links rows that refer to a row", async () => {
    const { json } = await rowhouse.get("/shop/books.json?_labels=on&_col=author_id&_nosuggest=1");
    const links = await rowhouse.get("/shop/authors/1.json?_extras=foreign_key_tables");

    expect((json as TablePage).rows[0]).to.deep.equal({
      id: 1,
      author_id: { value: 1, label: "Jane Austen" },
    });
    expect((links.json as { readonly foreign_key_tables: unknown }).foreign_key_tables).to.deep.include({
      other_table: "books",
      column: "id",
      other_column: "author_id",
      count: 2,
      link: "/shop/books?author_id=1",
    });
  });

  for (const path of ["", "/books", "/books/1", "/cheap", "/totals", "/keyless", "/books/-/columns"]) {
    it(`has the page /shop${path}`, async () => {
      const { status, text } = await rowhouse.get(`/shop${path}`);
      expect(status, text).to.equal(200);
    });
  }

  it("offers no untrusted SQL without a read_role: neither in pages nor in the API", async () => {
    const refusal = await rowhouse.get("/shop.json?sql=select+1");
    const refused = await rowhouse.get("/shop?sql=select+1", { as: "root" });
    const document = (await rowhouse.get("/shop.json")).json as { readonly allow_execute_sql: boolean };
    const page = await rowhouse.get("/shop/books?_where=1=1");

    const reason = "The database shop runs no SQL of clients. On PostgreSQL, this needs a read_role";
    expect([refusal.status, refused.status]).to.deep.equal([403, 403]);
    expect(refusal.json).to.include({ error: reason });
    expect(refused.text).to.include(reason).and.not.include("This needs the permission");
    expect(document.allow_execute_sql).to.equal(false);
    expect(page.status).to.equal(403);
    expect((await rowhouse.get("/shop")).text).not.to.contain('name="sql"');
  });

  it("has a version that moves with commits of others and with nothing else", async () => {
    const database = rowhouse.rowhouse.database("shop");
    const [first, second] = [await database.version(), await database.version()];
    await server().run("update authors set name = name", "spec_1");
    const third = await database.version();

    expect(second.data).to.equal(first.data);
    expect(third.data).not.to.equal(first.data);
    expect(third.schema).to.equal(first.schema);
  });

  it("reads prepared statements again after others have changed the types of their results", async () => {
    const database = rowhouse.rowhouse.database("shop");
    await server().run("create table changing (a int); insert into changing values (7)", "spec_1");
    const read = async () => (await database.read("select * from changing where a = :a", { a: 7 })).rows;
    for (let times = 0; times < 5; times += 1) expect(await read()).to.deep.equal([[7]]);
    await server().run("alter table changing alter a type text, add b int default 8", "spec_1");

    expect(await read()).to.deep.equal([["7", 8]]);
    await server().run("drop table changing", "spec_1");
  });

  const bounds = async (group: string) => (await get(`books.json?_group=${group}`)).rows;

  it("groups numbers of all types by intervals", async () => {
    expect(await bounds("interval(id,1000)")).to.deep.equal([
      [0, 2],
      [9007199254740000, 1],
    ]);
    expect(await bounds("interval(price,0.25)")).to.have.deep.members([
      [null, 1],
      [12.5, 1],
      [123456789012345680, 1],
    ]);
    expect(await bounds("interval(rating,5)")).to.have.deep.members([
      [null, 1],
      [10, 1],
      [1e20, 1],
    ]);
    expect(await bounds("interval(title,5)")).to.deep.equal([[null, 3]]);
  });

  it("estimates counts that take long, and says so", async () => {
    const many = await server().createDatabase(
      `create table many (i int primary key); insert into many select generate_series(1, 5000); analyze many;
       create view slow as select i from many where pg_sleep(0.002) is not null`,
    );
    await rowhouse.rowhouse.addDatabase({ uri: many, name: "many", mutable: true });

    const estimated = (await rowhouse.get("/many/slow.json?_size=3&_nosuggest=1")).json;
    const page = await rowhouse.get("/many/slow?_size=3&_nosuggest=1");
    const exact = (await rowhouse.get("/many/many.json?_size=3&i__gt=10")).json;

    expect(estimated).to.deep.include({ filtered_table_rows_count_estimated: true });
    expect((estimated as TablePage).filtered_table_rows_count).to.be.within(4_000, 5_000);
    expect(page.text).to.match(/1 to 3 of about 4,\d{3}/);
    expect(exact)
      .to.deep.include({ filtered_table_rows_count: 4_990 })
      .and.not.have.any.keys("filtered_table_rows_count_estimated");
  });

  it("lists tables whose counting takes long with an estimate, and says so", async () => {
    // The policy makes counting slow for roles other than the superuser.
    const uri = await server().createDatabase(
      `create table large (i int); insert into large select generate_series(1, 2000); analyze large;
       create role slow login; grant select on large to slow; alter table large enable row level security;
       create policy slowly on large using (pg_sleep(0.002) is not null)`,
    );
    const hurried = await rowhouseFor({ settings: { sql_time_limit_ms: 100 } });
    const location = { uri: uri.replace("rowhouse@", "slow@"), name: "large", mutable: true };
    await hurried.rowhouse.addDatabase(location);

    const { tables } = (await hurried.get("/large.json")).json as { readonly tables: readonly object[] };
    const page = await hurried.get("/large");

    expect(tables[0]).to.deep.include({ name: "large", count: 1_990, count_estimated: true });
    expect(page.text).to.contain("about 1,990 rows");
  });
});

describePostgres("the worked plugin profile-columns on PostgreSQL", (server) => {
  it("profiles columns of every type", async () => {
    const module = new URL("../../../../examples/profile-columns/dist/src/index.js", import.meta.url);
    const { default: profileColumns } = (await import(module.href)) as { default: Plugin };
    const rowhouse = await rowhouseFor({ plugins: [profileColumns] });
    const uri = await server().createDatabase(SHOP);
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });

    const { status, text, json } = await rowhouse.get("/shop/books/-/profile.json");

    expect(status, text).to.equal(200);
    const columns = json.columns as readonly { readonly column: string }[];
    expect(columns.find(({ column }) => column === "available")).to.deep.include({ filled: 2, distinct: 2 });
    expect(columns.find(({ column }) => column === "mood")).to.deep.include({ least: "sad", most: "happy" });
  });
});
