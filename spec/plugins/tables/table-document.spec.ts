import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

describe("the link that edits the SQL of a page", () => {
  it("leads to the rows of a filter of arrays, also if a list is an empty text", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table t (id integer primary key, tags text);
        insert into t values (1, '["a"]'), (2, ''), (3, '["b"]');`,
    });

    for (const [query, ids] of [
      ["tags__arraycontains=a", [1]],
      ["tags__arraynotcontains=a", [2, 3]],
    ] as const) {
      const { text } = await rowhouse.get(`/library/t?${query}`);
      const link = /class="edit-sql" href="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
      const { json } = await rowhouse.get(`${link.replace("?", ".json?")}&_shape=arrayfirst`);
      expect(json, link).to.deep.equal(ids);
    }
  });
});

describe("GET /:database/:table.json", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      tables: {
        makers: [
          { id: 1, name: "Acme" },
          { id: 2, name: "Bolt" },
        ],
        products: `id integer primary key, name text, maker_id integer references makers(id), price real, n integer`,
        log: "message text, level integer",
        pairs: "a text, b integer, v text, primary key (b, a)",
      },
      views: { cheap: "select id, name from products where price < 50" },
      sql: `
        insert into products values (1, 'Anvil', 1, 95.5, 9007199254740993), (2, 'Bolt', 2, 0.25, 1),
          (3, 'Crate', 1, 12.0, 2), (4, 'Dowel', null, 0.1, 3);
        insert into log values ('start', 1), ('stop', 2);
        insert into pairs values ('x,y', 1, 'p'), ('x', 1, 'q'), ('z', 2, 'r');`,
      metadata: { databases: { library: { tables: { products: { units: { price: "m" } } } } } },
    });
  });

  const get = (path: string) => rowhouse.get(`/library/${path}`);
  const sql = async (path: string) => (await get(path)).json.query.sql;

  it("has its keys in published order", async () => {
    const { json } = await get("products.json");

    expect(Object.keys(json)).to.deep.equal([
      "database",
      "table",
      "is_view",
      "human_description_en",
      "rows",
      "truncated",
      "filtered_table_rows_count",
      "expanded_columns",
      "expandable_columns",
      "columns",
      "primary_keys",
      "units",
      "query",
      "facet_results",
      "suggested_facets",
      "next",
      "next_url",
      "private",
      "allow_execute_sql",
      "query_ms",
    ]);
  });

  it("shows the statement as it would be written by hand", async () => {
    expect(await sql("products.json")).to.equal(
      "select id, name, maker_id, price, n from products order by id limit 101",
    );
    expect(await sql("log.json")).to.equal("select rowid, message, level from log order by rowid limit 101");
    expect(await sql("cheap.json")).to.equal("select id, name from cheap  limit 101");
  });

  it("keeps every digit of integers, and the point of reals", async () => {
    const { text } = await get("products.json?id=1&_nosuggest=1");

    expect(text).to.include('[1, "Anvil", 1, 95.5, 9007199254740993]');
  });

  it("gives labelled rows as objects and unlabelled ones as arrays", async () => {
    const labelled = await get("products.json?_labels=on&_col=maker_id");
    const plain = await get("products.json?_labels=on&_col=maker_id&id=4");

    expect(labelled.json.rows[0]).to.deep.equal({ id: 1, maker_id: { value: 1, label: "Acme" } });
    expect(plain.json.rows).to.deep.equal([[4, null]]);
  });

  it("selects columns, the key first", async () => {
    const { json } = await get("products.json?_col=price&_col=name&_nocol=price");

    expect(json.columns).to.deep.equal(["id", "name"]);
  });

  it("refuses to leave out all columns, instead of returning those that were left out", async () => {
    for (const query of ["_nocol=id&_nocol=name", "_col=id&_nocol=id"]) {
      const { status, json } = await get(`cheap.json?${query}`);

      expect(status, query).to.equal(400);
      expect(json.error, query).to.equal("_nocol leaves no column to select");
    }
  });

  const refused = [
    ["_col=a&_col=b", "_col=a, b - invalid columns"],
    ["_nocol=id", "_nocol=id - invalid columns"],
    ["_size=-1", "_size must be a positive integer"],
    ["_size=1001", "_size must be <= 1000"],
    ["_sort=nope", "Cannot sort table by nope"],
    ["_sort=id&_sort_desc=name", "Cannot use _sort and _sort_desc at the same time"],
    ["_timelimit=soon", "_timelimit must be an integer"],
    ["price=1+parsnip", '"1 parsnip" has an unknown unit'],
    ["_sort=name&_next=a,b,c", "Invalid _next token"],
  ] as const;
  for (const [query, error] of refused) {
    it(`refuses ?${query} with "${error}"`, async () => {
      const { status, json } = await get(`products.json?${query}`);

      expect(status).to.equal(400);
      expect(json.error).to.equal(error);
    });
  }

  it("counts what matches, however little of it is shown", async () => {
    const { json } = await get("products.json?price__lt=50&_size=1");

    expect(json.filtered_table_rows_count).to.equal(3);
    expect(json.rows).to.have.length(1);
  });

  it("counts again when another program wrote to the file", async () => {
    const own = await rowhouseFor({ tables: { books: [{ id: 1 }] } });
    const count = async () => (await own.get("/library/books.json")).json.filtered_table_rows_count;

    const before = await count();
    await own.rowhouse
      .database("library")
      .write((transaction) => transaction.run("insert into books values (2)"));

    expect([before, await count()]).to.deep.equal([1, 2]);
  });

  it("has the next page in the document and in a header, with empty arguments", async () => {
    const { json, headers } = await get("products.json?name__not=&_size=2");

    expect(json.next).to.equal("2");
    expect(json.next_url).to.equal(`${rowhouse.origin}/library/products.json?name__not=&_size=2&_next=2`);
    expect(headers["link"]).to.equal(`<${json.next_url}>; rel="next"`);
  });

  it("puts the parts of a compound key in key order", async () => {
    const { json } = await get("pairs.json?_size=1");

    expect(json.next).to.equal("1,x");
    expect((await get(`pairs.json?_size=1&_next=${json.next}`)).json.rows).to.deep.equal([["x,y", 1, "p"]]);
  });

  it("turns what the filter form sends into arguments", async () => {
    const { status, headers } = await get(
      "products?_filter_column=name&_filter_value=x&_filter_column_1=n&_filter_op_1=isnull__1&_search=&_size=2",
    );

    expect(status).to.equal(302);
    expect(headers["location"]).to.equal("/library/products?_size=2&name__exact=x&n__isnull=1");
    expect(headers["link"]).to.equal(`<${headers["location"]}>; rel=preload`);
  });

  it("shows the error of a broken view", async () => {
    const rowhouse = await rowhouseFor({
      tables: { gone: "id integer primary key" },
      sql: "create view broken as select id from gone; drop table gone",
    });

    const { status, json } = await rowhouse.get("/library/broken.json");

    expect([status, json.error]).to.deep.equal([400, "no such table: main.gone"]);
  });

  it("shows no more rows than its size, whatever a condition does to the statement", async () => {
    const { json } = await get(
      "products.json?_where=1=1 union all select id,name,1,1,1 from cheap&_size=1".replaceAll(" ", "%20"),
    );

    expect(json.rows ?? []).to.have.length.of.at.most(1);
  });
});

describe("following next", () => {
  const script = `
    insert into things select value, case value % 3 when 0 then null when 1 then 'same' else 'x' || value end,
      case value % 4 when 0 then null when 1 then 9e999 when 2 then -9e999 else value / 2.0 end,
      case value % 2 when 0 then value else cast(value as text) end
      from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 23) select * from n);
    insert into loose select v, id from things;
    insert into loose values (null, 1), (null, 2), (x'00ff', 3);
    create table exact (id integer primary key, v any) strict;
    insert into exact select id, v from things;`;
  const tables = {
    things: "id integer primary key, t text, r real, v",
    loose: "k primary key, n integer",
  };
  const paths = [
    "things.json?_size=4",
    "things.json?_size=4&_sort=t",
    "things.json?_size=4&_sort_desc=t",
    "things.json?_size=4&_sort=r",
    "things.json?_size=4&_sort_desc=r",
    "things.json?_size=4&_sort=v",
    "things.json?_size=4&_sort_desc=v",
    "things.json?_size=4&_sort=t&_col=id",
    "things.json?_size=4&_sort=t&_shape=objects",
    "things.json?_size=4&_sort=r&_json_infinity=on",
    "things.json?_size=4&_sort_desc=r&_json_infinity=on&_shape=objects",
    "exact.json?_size=4&_sort=v",
    "exact.json?_size=4&_sort_desc=v",
    "loose.json?_size=4",
    "loose.json?_size=4&_sort=n",
  ];
  for (const path of paths) {
    it(`shows every row once: ${path}`, async () => {
      const rowhouse = await rowhouseFor({ tables, sql: script });
      const total = path.startsWith("loose") ? 26 : 23;

      const rows: string[] = [];
      let next: string | null = `/library/${path}`;
      while (next !== null && rows.length <= total) {
        const { text } = await rowhouse.get(next);
        const json = JSON.parse(text.replaceAll(/(-?)Infinity/g, "$19e99"));
        rows.push(...json.rows.map((row: unknown) => JSON.stringify(row)));
        next = json.next_url === null ? null : json.next_url.slice(rowhouse.origin.length);
      }

      expect(rows).to.have.length(total);
      expect(new Set(rows)).to.have.length(total);
    });
  }
});

describe("names that could be mistaken for SQL", () => {
  const names = [
    "a]b",
    'a"b',
    "a'b",
    "a;drop table t",
    "a--",
    "a/*",
    "new\nline",
    "🚣",
    "__proto__",
    "select",
  ];
  for (const name of names) {
    it(`are served, sorted, filtered and faceted: ${JSON.stringify(name)}`, async () => {
      const rowhouse = await rowhouseFor({
        tables: {
          [name]: [
            { id: 1, [`${name} `]: "x" },
            { id: 2, [`${name} `]: "y" },
          ],
        },
      });
      const path = `${rowhouse.rowhouse.urls.table("library", name)}.json`;
      const column = encodeURIComponent(`${name} `);

      const sorted = await rowhouse.get(`${path}?_sort_desc=${column}&_facet=${column}`);
      const filtered = await rowhouse.get(`${path}?${column}__exact=x`);
      const among = await rowhouse.get(`${path}?${column}__in=x,z`);

      expect(sorted.json.rows.map(([id]: number[]) => id)).to.deep.equal([2, 1]);
      expect(sorted.json.facet_results[`${name} `].results).to.have.length(2);
      expect(filtered.json.rows).to.deep.equal([[1, "x"]]);
      expect(among.json.rows).to.deep.equal([[1, "x"]]);
    });
  }

  it("stay names when they come as arguments", async () => {
    const rowhouse = await rowhouseFor({
      tables: { docs: [{ id: 1, name: "a" }], secret: [{ pw: "s3cret" }] },
    });
    const injected = encodeURIComponent('name" union select pw from secret--');

    const sorted = await rowhouse.get(`/library/docs.json?_sort=${injected}`);
    const filtered = await rowhouse.get(`/library/docs.json?${injected}=1`);

    expect(sorted.status).to.equal(400);
    expect(filtered.json.rows).to.deep.equal([]);
    expect(filtered.text).not.to.include("s3cret");
  });
});
