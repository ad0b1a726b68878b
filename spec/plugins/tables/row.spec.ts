import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

describe("GET /:database/:table/:key.json", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      tables: {
        makers: [
          { id: 1, name: "Acme" },
          { id: 2, name: "Bolt" },
        ],
        products: "id integer primary key, maker_id integer references makers(id)",
        letters: "id integer primary key, _to integer references makers(id)",
        "sealed letters": "id integer primary key, maker integer references makers(id)",
        stock: "shop text, sku text, qty integer, primary key (sku, shop)",
        log: "message text",
        loose: "k primary key, v text",
        mixed: "b text, a, v text, primary key (b, a)",
      },
      views: { names: "select name from makers" },
      sql: `
        insert into products values (1, 1), (2, 1), (3, 2);
        insert into letters values (1, 1);
        insert into "sealed letters" values (1, 1);
        insert into stock values ('north', 'a/1', 5), ('north,x', 'b', 6);
        insert into log values ('start');
        insert into loose values (1, 'number'), ('x', 'text'), ('01', 'zero'), ('1e0', 'power');
        insert into mixed values ('0', 5, 'other'), ('0.0', 5, 'exact');`,
      metadata: { databases: { library: { tables: { "sealed letters": { allow: { id: "root" } } } } } },
    });
  });

  it("is linked to from its table, with a key beyond all numbers as well", async () => {
    const endless = await rowhouseFor({
      tables: { sums: "total real primary key" },
      sql: "insert into sums values (9e999), (-9e999), (0.1)",
    });

    const { text } = await endless.get("/library/sums");

    const found = text.matchAll(/href="(\/library\/sums\/(?!-\/)[^"]*)"/g);
    const links = new Set([...found].map(([, link]) => link));
    expect(links.size).to.equal(3);
    for (const link of links) expect((await endless.get(`${link}.json`)).status, link).to.equal(200);
  });

  it("has no link if its key can't be part of an address, but is keyed by it", async () => {
    const nameless = await rowhouseFor({
      tables: {
        codes: "code text primary key",
        uses: "id integer primary key, code text references codes(code)",
      },
      sql: "insert into codes values (''); insert into uses values (1, '')",
    });

    for (const page of ["codes", "uses"]) {
      expect((await nameless.get(`/library/${page}`)).text, page).not.to.include('href="/library/codes/"');
    }
    expect((await nameless.get("/library/uses")).text).to.include('href="/library/codes?code="');
    expect((await nameless.get("/library/codes.json?_shape=object")).text).to.equal('{"": {"code": ""}}');
  });

  it("is keyed by its own path, however its address spells it", async () => {
    for (const key of ["1", "01", "1~2E0", "1e0"]) {
      const { json } = await rowhouse.get(`/library/makers/${key}.json?_shape=object`);

      expect(json, key).to.deep.equal({ 1: { id: 1, name: "Acme" } });
    }
  });

  const get = (path: string) => rowhouse.get(`/library/${path}.json`);
  const links = async (as?: string) => {
    const options = as === undefined ? {} : { as };
    const { json } = await rowhouse.get("/library/makers/1.json?_extras=foreign_key_tables", options);
    return json.foreign_key_tables.map(({ count, link }: Record<string, unknown>) => [count, link]);
  };

  it("has one row and its key", async () => {
    const { json } = await get("stock/a~2F1,north");

    expect(Object.keys(json)).to.deep.equal([
      "database",
      "table",
      "rows",
      "columns",
      "primary_keys",
      "primary_key_values",
      "units",
      "query_ms",
    ]);
    expect(json.rows).to.deep.equal([["north", "a/1", 5]]);
    expect(json.primary_keys).to.deep.equal(["sku", "shop"]);
    expect(json.primary_key_values).to.deep.equal(["a/1", "north"]);
  });

  it("shows the rowid where there is no key", async () => {
    const { json } = await get("log/1");

    expect(json).to.deep.include({
      rows: [[1, "start"]],
      columns: ["rowid", "message"],
      primary_keys: ["rowid"],
    });
  });

  it("finds numbers in a column without affinity", async () => {
    expect((await get("loose/1")).json.rows).to.deep.equal([[1, "number"]]);
    expect((await get("loose/x")).json.rows).to.deep.equal([["x", "text"]]);
  });

  it("finds texts that spell a number in another way than its path", async () => {
    expect((await get("loose/01")).json.rows).to.deep.equal([["01", "zero"]]);
    expect((await get("loose/1e0")).json.rows).to.deep.equal([["1e0", "power"]]);
  });

  it("finds texts that are written like numbers beside a key without affinity", async () => {
    expect((await get("mixed/0~2E0,5")).json.rows).to.deep.equal([["0.0", 5, "exact"]]);
    expect((await get("mixed/0,5")).json.rows).to.deep.equal([["0", 5, "other"]]);
  });

  const missing = [
    ["products/99", "Row not found: ['99']"],
    ["products/1,2", "Row not found: ['1', '2']"],
    ["stock/a~2F1", "Row not found: ['a/1']"],
    ["products/it~27s", `Row not found: ["it's"]`],
    ["names/1", "Row not found: ['1']"],
    ["nosuch/1", "Table not found: nosuch"],
  ] as const;
  for (const [path, error] of missing) {
    it(`${path} answers 404: ${error}`, async () => {
      const { status, json } = await get(path);

      expect(status).to.equal(404);
      expect(json).to.deep.equal({ ok: false, error, status: 404, title: null });
    });
  }

  for (const format of ["", ".csv"]) {
    it(`that is missing answers 404 in every format: ${format || "page"}`, async () => {
      expect((await rowhouse.get(`/library/makers/9${format}`)).status).to.equal(404);
    });
  }

  it("refuses a time limit that is no whole number", async () => {
    const { status, json } = await rowhouse.get("/library/products/1.json?_timelimit=soon");

    expect(status).to.equal(400);
    expect(json.error).to.equal("_timelimit must be an integer");
  });

  it("lists the tables that refer to the row, without closed ones", async () => {
    const open = [
      [2, "/library/products?maker_id=1"],
      [1, "/library/letters?_to__exact=1"],
    ];

    expect(await links()).to.deep.equal(open);
    expect(await links("root")).to.deep.equal([...open, [1, "/library/sealed+letters?maker=1"]]);
  });

  it("is referenced by the value of the column that a foreign key names", async () => {
    const ports = await rowhouseFor({
      tables: {
        ports: "id integer primary key, code text unique, depth real unique",
        ships: "id integer primary key, port text references ports(code), depth real references ports(depth)",
        capes: "code text unique",
        lights: "id integer primary key, cape text references capes(code)",
      },
      sql: `
        insert into ports values (1, 'A&B', 2.0), (2, '1', null);
        insert into ships values (1, 'A&B', 2.0), (2, 'A&B', null), (3, '1', 1.0);
        insert into capes values ('Horn');
        insert into lights values (1, 'Horn');`,
    });
    const linksOf = async (row: string) => {
      const { json } = await ports.get(`/library/${row}.json?_extras=foreign_key_tables`);
      return json.foreign_key_tables.map(({ count, link }: Record<string, unknown>) => [count, link]);
    };

    expect(await linksOf("ports/1")).to.have.deep.members([
      [2, "/library/ships?port=A%26B"],
      [1, "/library/ships?depth=2.0"],
    ]);
    expect(await linksOf("ports/2"), "no row references a null").to.deep.equal([
      [1, "/library/ships?port=1"],
    ]);
    expect(await linksOf("capes/1")).to.deep.equal([[1, "/library/lights?cape=Horn"]]);
  });

  it("is linked by a foreign key to a number in a column without a type", async () => {
    const codes = await rowhouseFor({
      tables: { codes: "id integer primary key, code unique", uses: "code integer references codes(code)" },
      sql: "insert into codes values (1, 5), (2, '5'); insert into uses values (5)",
    });
    const { text } = await codes.get("/library/uses");
    const [, query] = /href="\/library\/codes\?([^"]*)"/.exec(text) ?? [];

    expect((await codes.get(`/library/codes.json?_shape=arrayfirst&${query}`)).json).to.deep.equal([1]);
  });

  it("is referenced by such a value also if a rule restricts its table", async () => {
    const restricted = await rowhouseFor({
      plugins: [
        definePlugin({
          name: "mine",
          read_scope: (_rowhouse, { tables }) =>
            tables
              .filter(({ name }) => name === "ports")
              .map(({ name }) => ({ table: name, where: "id < :most", params: { most: 2 } })),
        }),
      ],
      tables: {
        ports: "id integer primary key, code text unique",
        ships: "id integer primary key, port text references ports(code)",
      },
      sql: "insert into ports values (1, 'A'), (2, 'B'); insert into ships values (1, 'A'), (2, 'A');",
    });

    const { json } = await restricted.get("/library/ports/1.json?_extras=foreign_key_tables");

    expect(json.foreign_key_tables).to.have.length(1);
    expect(json.foreign_key_tables[0]).to.include({ other_table: "ships", count: 2 });
  });

  it("has no column that a virtual table hides", async () => {
    const search = await rowhouseFor({
      sql: "create virtual table words using fts5(word); insert into words values ('Emma');",
    });

    const { json } = await search.get("/library/words/1.json");

    expect(json).to.deep.include({ columns: ["rowid", "word"], rows: [[1, "Emma"]] });
  });
});
