import { expect } from "chai";
import { definePlugin, type Plugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";
import { failure } from "../../harness/failures.js";

/** Ann sees her own rows without salaries; other actors except root see nothing. */
const mine: Plugin = definePlugin({
  name: "mine",
  read_scope: (_rowhouse, { actor, tables }) =>
    actor?.id === "root"
      ? null
      : tables
          .filter(({ columns }) => columns.some(({ name }) => name === "owner"))
          .map(({ name }) => ({
            table: name,
            where: "owner = :me",
            params: { me: String(actor?.id ?? "") },
            hiddenColumns: ["salary"],
          })),
});

const SCRIPT = `
  create table docs (id integer primary key, owner text, title text, salary integer, parent integer references docs(id));
  insert into docs values
    (1, 'ann', 'Mine', 10, 2), (2, 'bob', 'Whispered', 4242, null), (3, 'ann', 'Also mine', 30, null);
  create index by_salary on docs(salary);
  create table notes (id integer primary key, doc_id integer references docs(id), text text);
  insert into notes values (1, 1, 'a'), (2, 2, 'b'), (3, 2, 'c');
  create virtual table docs_fts using fts5(title, content='docs', content_rowid='id');
  insert into docs_fts(docs_fts) values ('rebuild');
  create view overview as select id, title from docs;
  create view pay as select owner, salary from docs;
  create view twice as select * from overview;
  create view plain as select text from notes;
  analyze;`;

const METADATA = {
  permissions: Object.fromEntries(
    ["insert-row", "update-row", "delete-row", "drop-table", "create-table", "alter-table"].map((name) => [
      name,
      { id: ["ann", "root"] },
    ]),
  ),
  databases: {
    library: {
      tables: { docs: { sort_desc: "salary", facets: ["salary"], columns: { salary: "Hushed" } } },
    },
  },
};

/** What a page or document says went wrong. */
const errorOf = (text: string): string => /Row not found[^<"]*/.exec(text)?.[0] ?? text;

/** A route's path about the first document, as a page and as JSON. */
function pathsOf(path: string): readonly string[] {
  const about = path.replace(":database", "library").replace(":resource", "docs").replace(":key", "1");
  return ["", ".json"].map((format) => about.replace("{.:format}", format) || "/");
}

const QUERIES = {
  salaries: "select salary from docs",
  vouched: { sql: "select sum(salary) as total from docs", unscoped: true },
  raise: { sql: "update docs set salary = 1", write: true },
};

describe("read_scope", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ sql: SCRIPT, plugins: [mine], metadata: METADATA });
  });
  const get = (path: string, as = "ann") => rowhouse.get(path, { as });
  const answer = async (query: string) => {
    const { status, text } = await get(`/library/docs.json?${query}`);
    return [status, text.replaceAll(/nosuch|salary/g, "*").replaceAll(/"query_ms": [\d.e+-]+/g, "")];
  };
  const counts = async (as: string) => [
    (await get("/library/docs.json", as)).json.filtered_table_rows_count,
    (await get("/library.json", as)).json.tables.find(({ name }: { name: string }) => name === "docs").count,
    (await get("/.json", as)).json.library.table_rows_sum,
  ];
  const runSql = (statement: string) =>
    get(`/library.json?sql=${encodeURIComponent(statement)}&_shape=arrays`);

  describe("no path reveals hidden rows and columns", () => {
    const silent = [
      "/library/docs.json",
      "/library/docs",
      "/library/docs.csv?_stream=on",
      "/library/docs.csv?_stream=on&_labels=on",
      "/library/docs.json?_facet=title&_facet=parent",
      "/library/docs.json?_labels=on",
      "/library/docs/1.json?_extras=foreign_key_tables",
      "/library/docs/1",
      "/library/docs/1.json?_labels=on",
      "/library/notes.json?_labels=on&_facet=doc_id",
      "/library/docs.json?_search=whispered",
      "/library/docs.json?_search=whispered&_fts_pk=parent",
      "/library/notes.json?_search=whispered&_fts_table=docs_fts&_fts_pk=doc_id",
      "/library/docs_fts.json",
      "/library/docs_fts_content.json",
      "/library/docs_fts_data.json",
      "/library/overview.json",
      "/library/pay.csv",
      "/library/twice.json",
      "/library/sqlite_stat1.json",
      "/library.json",
      "/library",
      "/.json",
      "/library/docs.json?_next=1",
      "/library/docs.json?_next=x,2&_sort=title",
      "/library/docs.json?_sort=id&_size=1",
      "/library/docs.json?_shape=objects&_nocount=1",
    ];
    for (const path of silent) {
      it(path, async () => {
        const { status, text } = await get(path);

        expect(status).to.be.oneOf([200, 400, 403, 404]);
        expect(text).not.to.match(/Whispered|\b4242\b|\bbob\b|salary|Hushed/);
      });
    }

    it("but the same paths show them to root", async () => {
      for (const path of [
        "/library/docs.json",
        "/library/docs.json?_search=whispered",
        "/library/overview.json",
      ]) {
        expect((await get(path, "root")).text, path).to.match(/Whispered/);
      }
    });
  });

  it("holds on every page that there is", async () => {
    const pages = rowhouse.rowhouse.routes.filter(({ method = "GET" }) => method === "GET");
    const paths = pages.flatMap(({ path }) => (typeof path === "string" ? pathsOf(path) : []));

    expect(paths).to.include.members(["/-/openapi.json", "/library/docs/1.json", "/-/jump.json"]);
    for (const path of paths) {
      expect((await get(path)).text, path).not.to.match(/Whispered|\b4242\b|salary|Hushed/);
    }
  });

  it("makes a hidden column one that does not exist", async () => {
    for (const query of [
      "_sort=*",
      "_sort_desc=*",
      "_col=*",
      "_nocol=*",
      "_facet=*",
      "_facet_array=*",
      "*=4242",
      "*__gt=1",
      "*__isnull=1",
      "_where=*%3D1",
      "_through=%7B%22table%22%3A%22docs%22%2C%22column%22%3A%22*%22%2C%22value%22%3A4242%7D",
      "_search_*=1",
    ]) {
      const [hidden, missing] = ["salary", "nosuch"].map((name) => query.replace("*", name));
      expect(await answer(hidden ?? ""), query).to.deep.equal(await answer(missing ?? ""));
    }
    for (const query of ["_sort=salary", "_col=salary", "_facet=salary", "salary__in=1"]) {
      expect((await answer(query))[0], query).to.equal(400);
    }
  });

  it("makes a hidden row one that does not exist", async () => {
    for (const suffix of ["", ".json", ".csv", ".blob?_blob_column=title"]) {
      const hidden = await get(`/library/docs/2${suffix}`);
      const missing = await get(`/library/docs/99${suffix}`);

      expect([hidden.status, errorOf(hidden.text)], suffix).to.deep.equal([
        404,
        errorOf(missing.text).replace("99", "2"),
      ]);
    }
  });

  it("answers no search about a row that a shown one points at", async () => {
    const found = async (text: string) =>
      (await get(`/library/docs.json?_search=${text}&_fts_pk=parent`)).json.filtered_table_rows_count;

    expect(await found("whispered")).to.equal(await found("nonsense"));
    expect((await get("/library/docs.json?_search=also")).json.rows).to.have.length(1);
  });

  it("counts for each actor what that actor may read", async () => {
    expect(await counts("root")).to.deep.equal([3, 3, 6]);
    expect(await counts("ann")).to.deep.equal([2, 2, 5]);
    expect(await counts("eve")).to.deep.equal([0, 0, 3]);
    expect(await counts("root")).to.deep.equal([3, 3, 6]);
  });

  it("never gives one actor the cached page of another", async () => {
    const ann = await get("/library/docs.json");
    const etag = ann.headers.etag;

    expect(ann.headers["cache-control"]).to.include("private");
    const bob = await rowhouse.get("/library/docs.json", {
      as: "bob",
      headers: etag === undefined ? {} : { "if-none-match": etag },
    });
    expect(bob.status).to.equal(200);
    expect(bob.json.rows).to.deep.equal([[2, "bob", "Whispered", null]]);
  });

  describe("refuses SQL that could go round it", () => {
    const sql = [
      "select title from docs",
      "select 1 from main.docs",
      'select * from "DOCS"',
      "select text, (select group_concat(title) from docs) from notes",
      "with n as (select * from docs) select count(*) from n",
      "select count(*) from notes where doc_id in docs",
      "select salary from docs indexed by by_salary",
      "select * from pay",
      "select * from twice",
      "select * from docs_fts('whispered')",
      "select block from docs_fts_data",
      "select * from sqlite_master",
      "select * from sqlite_stat1",
      "select * from dbstat",
      "select * from pragma_table_info('docs')",
      "explain select * from docs",
      "explain query plan select * from docs where salary > 1",
      "select json_each.value from json_each('[1]'), docs",
    ];
    for (const statement of sql) {
      it(statement, async () => {
        const path = `/library.json?sql=${encodeURIComponent(statement)}`;

        expect((await get(path)).status).to.equal(403);
        expect((await get(path.replace(".json", ".csv"))).status).to.equal(403);
      });
    }

    it("and runs what reads nothing hidden", async () => {
      expect((await runSql("select count(*) from notes")).json.rows).to.deep.equal([[3]]);
      expect((await runSql("select count(*) from plain")).json.rows).to.deep.equal([[3]]);
    });

    it("in conditions, however they are cut in pieces", async () => {
      const where = (...fragments: string[]) =>
        get(`/library/docs.json?${fragments.map((one) => `_where=${encodeURIComponent(one)}`).join("&")}`);
      const through = encodeURIComponent(
        '{"table":"docs","column":"*/ union select 1,salary,1,1 from docs --","value":1}',
      );

      expect((await where("title like '%mine%'")).json.filtered_table_rows_count).to.equal(2);
      for (const fragments of [
        ["id in (select id from docs)"],
        ["exists (select 1 from main.docs where salary > 1)"],
        ["1 union select id, owner, title, salary from docs"],
        ["1 /*", "1 -- */ union select id, owner, title, salary from docs"],
        ["1) or (1"],
        ["1 --"],
        ["id in docs"],
      ]) {
        expect((await where(...fragments)).status, fragments.join()).to.equal(403);
      }
      expect(
        (await get(`/library/docs.json?_where=${encodeURIComponent("1 /*")}&_through=${through}`)).status,
      ).to.equal(403);
    });

    it("in canned queries, unless their author vouches for them", async () => {
      const metadata = { databases: { library: { queries: QUERIES } } };
      const canned = await rowhouseFor({ sql: SCRIPT, plugins: [mine], metadata });
      const ask = (path: string) => canned.get(`/library/${path}`, { as: "ann" });

      expect((await ask("salaries.json")).status).to.equal(403);
      expect((await ask("vouched.json?_shape=array")).json).to.deep.equal([{ total: 4282 }]);
      expect((await canned.post("/library/raise", { as: "ann", form: {} })).status).to.equal(403);
    });
  });

  it("denies the download to actors who may not read all of the database", async () => {
    const frozen = await rowhouseFor({ sql: SCRIPT, plugins: [mine], immutable: ["library"] });

    expect((await frozen.get("/library.db", { as: "ann" })).status).to.equal(403);
    expect((await frozen.get("/library.db", { as: "root" })).status).to.equal(200);
  });

  it("does not take a count from an inspect file for what an actor may read", async () => {
    const inspect = { library: { hash: "x", size: 1, file: "library.db", tables: { docs: { count: 3 } } } };
    const counted = await rowhouseFor({
      sql: SCRIPT,
      plugins: [
        definePlugin({ name: "drafts", read_scope: () => ({ table: "docs", where: "salary < 100" }) }),
      ],
      immutable: ["library"],
      options: { inspect },
    });

    expect((await counted.get("/library/docs.json")).json.filtered_table_rows_count).to.equal(2);
    expect((await counted.get("/library.json")).json.tables[0].count).to.equal(2);
  });
});

const served = () => rowhouseFor({ sql: SCRIPT, plugins: [mine], metadata: METADATA });
const docs = (rowhouse: TestRowhouse) =>
  rowhouse.query("select id, owner, title, salary from docs order by id");

describe("read_scope and the write API", () => {
  it("neither changes nor deletes nor shows a row that can't be read", async () => {
    const rowhouse = await served();
    const before = await docs(rowhouse);
    const post = (path: string, json: unknown) => rowhouse.post(`/library/${path}`, { as: "ann", json });

    for (const [path, json] of [
      ["docs/2/-/update", { update: { title: "Taken" }, return: true }],
      ["docs/2/-/delete", {}],
      ["docs/-/upsert", { rows: [{ id: 2, title: "Taken" }], return: true }],
      ["docs/-/insert", { rows: [{ id: 2, title: "Taken" }], replace: true }],
      ["docs/-/insert", { rows: [{ id: 2, title: "Taken" }], return: true }],
      ["docs/-/insert", { rows: [{ id: 2, title: "Taken" }], ignore: true, return: true }],
      ["docs/-/update", { filters: { id: 2 }, update: { title: "Taken" } }],
      ["docs/-/delete", { filters: { id: 2 } }],
      ["docs/-/drop", { confirm: true }],
      ["docs/-/drop", {}],
      ["docs/-/alter", { operations: [{ op: "drop_column", args: { name: "salary" } }] }],
      ["docs/-/alter", { operations: [{ op: "drop_column", args: { name: "parent" } }] }],
      ["docs/-/create-index", { columns: ["owner"], unique: true }],
      ["-/create", { table: "docs", row: { id: 2, title: "Taken" }, pk: "id", replace: true }],
      ["-/batch", { operations: [{ op: "delete", table: "docs", key: 2 }] }],
    ] as const) {
      const { status, text } = await post(path, json);

      expect(text, path).not.to.match(/Whispered|\b4242\b|"row_count": 3/);
      if (!JSON.stringify(json).includes("ignore") && !JSON.stringify(json).includes("filters")) {
        expect(status, path).to.be.within(400, 409);
      }
    }
    expect(await docs(rowhouse)).to.deep.equal(before);
  });

  it("returns no inserted row that can't be read", async () => {
    const rowhouse = await served();
    const insert = (rows: readonly object[]) =>
      rowhouse.post("/library/docs/-/insert", { as: "ann", json: { rows, return: true } });

    const one = await insert([{ id: 10, owner: "bob", title: "Given" }]);
    const several = await insert([
      { id: 11, owner: "bob", title: "Given" },
      { id: 12, owner: "ann", title: "Kept" },
    ]);

    expect([one.status, one.json.rows]).to.deep.equal([201, []]);
    expect(several.json.rows).to.deep.equal([{ id: 12, owner: "ann", title: "Kept", parent: null }]);
  });

  it("takes hidden columns for unknown ones and returns none", async () => {
    const rowhouse = await served();
    const post = (path: string, json: unknown) => rowhouse.post(`/library/${path}`, { as: "ann", json });

    expect((await post("docs/1/-/update", { update: { salary: 1 } })).status).to.equal(400);
    expect((await post("docs/-/insert", { row: { id: 9, salary: 1 } })).json.errors).to.deep.equal([
      "Row 0 has invalid columns: salary",
    ]);
    const { json } = await post("docs/1/-/update", { update: { title: "New" }, return: true });
    expect(json.row).to.deep.equal({ id: 1, owner: "ann", title: "New", parent: 2 });
  });

  it("tests no hidden value by a foreign key", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table staff (id integer primary key, ssn text unique);
        insert into staff values (1, 'one'), (2, 'two');
        create table guesses (id integer primary key, guess text, other integer);
        insert into guesses values (1, 'one', 2);`,
      plugins: [
        definePlugin({
          name: "private",
          read_scope: () => ({ table: "staff", hiddenColumns: ["ssn"], where: "id = 1" }),
        }),
      ],
      metadata: { permissions: { "alter-table": true, "create-table": true } },
    });
    const answers = [];
    for (const [column, fk_column] of [
      ["guess", "ssn"],
      ["guess", "none"],
      ["other", "id"],
    ]) {
      const key = { column, fk_table: "staff", fk_column };
      const operations = [{ op: "add_foreign_key", args: key }];
      answers.push(
        await rowhouse.post("/library/guesses/-/alter", { json: { operations, dry_run: true } }),
        await rowhouse.post("/library/-/create", {
          json: { table: "more", columns: [{ name: "x", fk_table: "staff", fk_column }] },
        }),
      );
    }

    for (const { status, json } of answers) {
      expect(status).to.equal(403);
      expect(json.errors[0]).to.include("a part of staff is hidden from you");
    }
  });

  it("names no hidden column in what goes wrong with one", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table staff (
          id integer primary key, name text unique, salary integer not null check (salary > 0 and name != '::')
        );
        create trigger paid before insert on staff when new.name = 'Ben' begin
          insert into staff values (null, 'nobody', -1);
        end;
        create table badges (name text, salary integer default 5);
        create unique index payroll on badges (lower(name), salary);
        insert into badges (name) values ('Ann');
        insert into staff values (1, 'Ann', 9);`,
      plugins: [
        definePlugin({
          name: "pay",
          read_scope: () => ["staff", "badges"].map((table) => ({ table, hiddenColumns: ["Salary"] })),
        }),
      ],
      metadata: { permissions: { "insert-row": true } },
    });
    const errors = async (name: string, table = "staff"): Promise<unknown> =>
      (await rowhouse.post(`/library/${table}/-/insert`, { json: { row: { name } } })).json.errors;

    expect(await errors("Eve")).to.deep.equal(["NOT NULL constraint failed"]);
    expect(await errors("Ben")).to.deep.equal(["CHECK constraint failed"]);
    expect(await errors("ANN", "badges")).to.deep.equal(["UNIQUE constraint failed"]);
  });

  it("updates and inserts by key what can be read", async () => {
    const rowhouse = await served();
    const rows = [
      { id: 3, title: "Renamed" },
      { id: 10, owner: "ann", title: "Fresh" },
    ];

    const reply = await rowhouse.post("/library/docs/-/upsert", { as: "ann", json: { rows, return: true } });

    expect(reply.json.rows.map(({ title }: { title: string }) => title)).to.deep.equal(["Renamed", "Fresh"]);
    expect((await docs(rowhouse)).map(({ salary }) => salary)).to.deep.equal([10, 4242, 30, null]);
  });
});

const status = async (read_scope: Plugin["read_scope"], path = "/library/docs.json") => {
  const plugin = { name: "odd", ...(read_scope !== undefined && { read_scope }) };
  return (await (await rowhouseFor({ sql: SCRIPT, plugins: [plugin] })).get(path)).status;
};

describe("read_scope and attached databases", () => {
  it("keeps SQL away from them where something in them is hidden", async () => {
    const rowhouse = await rowhouseFor({
      sql: SCRIPT,
      plugins: [mine],
      options: { crossdb: true },
    });
    await rowhouse.rowhouse.addDatabase({
      uri: "memory:",
      name: "_memory",
      mutable: true,
      attach: [{ name: "library", path: rowhouse.file() }],
    });
    const path = "/_memory.json?_shape=array&sql=select+count(*)+as+n+from+library.";

    expect((await rowhouse.get(`${path}docs`, { as: "ann" })).status).to.equal(403);
    expect((await rowhouse.get(`${path}notes`, { as: "ann" })).json).to.deep.equal([{ n: 3 }]);
    expect((await rowhouse.get(`${path}docs`, { as: "root" })).json).to.deep.equal([{ n: 3 }]);
  });

  it("needs the plugin that confines untrusted SQL", async () => {
    const { message } = await failure(rowhouseFor({ plugins: [mine], without: ["confine-sql"] }));

    expect(message).to.include("require the service confinement of plugin confine-sql");
  });
});

describe("an answer to read_scope", () => {
  it("names tables and columns as the engine does, whatever their case", async () => {
    const rowhouse = await rowhouseFor({
      sql: SCRIPT,
      plugins: [{ name: "loud", read_scope: () => ({ table: "DOCS", hiddenColumns: ["SALARY"] }) }],
    });

    expect((await rowhouse.get("/library/docs.json")).json.columns).to.deep.equal([
      "id",
      "owner",
      "title",
      "parent",
    ]);
  });

  it("that makes no sense shows nothing", async () => {
    expect(await status(() => ({ table: "docs", where: "owner = :me" }))).to.equal(500);
    expect(await status(() => ({ table: "docs", where: "owner = ?" }))).to.equal(500);
    expect(await status(() => ({ where: "1" }) as never)).to.equal(500);
    expect(await status(() => ({ table: "docs", hiddenColums: ["salary"] }) as never)).to.equal(500);
    expect(await status(() => Promise.reject(new Error("no")))).to.equal(500);
    expect(await status(() => ({ table: "docs", where: "nosuch = 1" }))).to.equal(400);
  });

  it("may hide the key: rows then have no address", async () => {
    const rowhouse = await rowhouseFor({
      sql: SCRIPT,
      plugins: [{ name: "keyless", read_scope: () => ({ table: "docs", hiddenColumns: ["id"] }) }],
    });

    const { json } = await rowhouse.get("/library/docs.json?_size=2");
    expect([json.columns, json.primary_keys, json.rows.length, json.next]).to.deep.equal([
      ["owner", "title", "salary", "parent"],
      [],
      2,
      "2",
    ]);
    expect((await rowhouse.get("/library/docs/1.json")).status).to.equal(404);
  });

  it("may vouch for a view over narrowed tables", async () => {
    const rowhouse = await rowhouseFor({
      sql: SCRIPT,
      plugins: [
        {
          name: "vouching",
          read_scope: () => [
            { table: "docs", where: "0" },
            { table: "overview", where: "id > 1", complete: true },
          ],
        },
      ],
    });

    expect((await rowhouse.get("/library/overview.json")).json.rows).to.have.length(2);
    expect((await rowhouse.get("/library/twice.json")).json.rows).to.have.length(0);
  });

  it("adds up with those of other plugins, each with parameters of its own", async () => {
    const rowhouse = await rowhouseFor({
      sql: SCRIPT,
      plugins: ["one", "two"].map((name, index) => ({
        name,
        read_scope: () => ({
          table: "docs",
          where: "id > :least or ':least' = ''",
          params: { least: index + 1 },
        }),
      })),
    });

    expect((await rowhouse.get("/library/docs.json?id__lt=9")).json.rows).to.have.length(1);
  });
});
