import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const SCRIPT = `
  create table open (id integer primary key, title text, word text);
  insert into open values (1, 'Emma', 'whisper'), (2, 'Persuasion', 'shout');
  create table secret (id integer primary key, word text unique, level integer);
  insert into secret values (1, 'whisper', 7), (2, 'murmur', 8);
  create index secret_level on secret (level);
  create view plain as select id, title from open;
  create view window as select word from secret;
  create view through_window as select * from window;
  create view granted as select word from secret where id = 1;
  create view over_granted as select * from granted;
  create virtual table open_fts using fts5(title, content='open', content_rowid='id');
  insert into open_fts(open_fts) values ('rebuild');
  create virtual table secret_fts using fts5(word, content='secret', content_rowid='id');
  insert into secret_fts(secret_fts) values ('rebuild');
  create virtual table words using fts5vocab('secret_fts', 'row');
  create virtual table "Ünder" using fts5(body);
  insert into "Ünder" values ('murmur');
  create table "ünder" (body text);
  insert into "ünder" values ('open');
  create view "Ünder_view" as select body from "Ünder";
  create view "ünder_view" as select 'open' as body;
  create table "Ä" (id integer primary key, body text);
  insert into "Ä" values (1, 'murmur');
  create table "ä" (id integer primary key, body text);
  create virtual table "Ä_index" using fts5(body, content='Ä', content_rowid='id');
  insert into "Ä_index"("Ä_index") values ('rebuild');
  create virtual table areas using rtree(id, low, high);
  create table counter (id integer primary key autoincrement);
  analyze;`;

const metadata = {
  databases: {
    library: {
      tables: {
        secret: { allow: { id: "root" } },
        areas: { allow: { id: "root" } },
        Ünder: { allow: { id: "root" } },
        Ä: { allow: { id: "root" } },
        granted: { allow: true },
      },
      queries: {
        careless: "select word from secret",
        careful: { sql: "select word from secret", allow: true },
        harmless: "select title from open",
        rewrite: { sql: "insert into open (title) select word from secret", write: true },
      },
    },
  },
};

const SECRETS = /murmur|whisper|secret_level/;
const MESSAGE = "This statement reads something that does not exist or that you may not view";

const as = (actor: string | undefined) => (actor === undefined ? {} : { as: actor });

describe("with confine_sql", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ sql: SCRIPT, metadata, settings: { confine_sql: true } });
  });

  const run = (sql: string, actor?: string) =>
    rowhouse.get(`/library.json?_shape=arrays&sql=${encodeURIComponent(sql)}`, as(actor));
  const filter = (where: string, actor?: string) =>
    rowhouse.get(`/library/open.json?_where=${encodeURIComponent(where)}`, as(actor));

  const refused = [
    "select * from secret",
    "select 1 from secret",
    "select count(*) from secret",
    "select level from secret where level > 1",
    'select * from "SECRET"',
    "select * from [secret]",
    "select * from 'secret'",
    "select * from main.secret",
    "select 1 from open, 'secret'",
    "with secret as (select 1) select 1 from main.secret where 0",
    "select 1 as secret from secret where 0",
    "with secret as (select 1) select word from granted, (select 1 from main.secret where 0)",
    "select secret from open",
    "select (select max(word) from secret)",
    "select title from open where word in (select word from secret)",
    "select title from open where word in (select word from secret) order by (select count(*) from secret)",
    "select title from open where exists (select 1 from secret where secret.word = open.word)",
    "select title from open join secret using (word)",
    "select open.* from open left join secret on secret.id = open.id",
    "select 1 where 0 and exists (select 1 from secret)",
    "select 1 where 0 and exists (select 1 from nosuch)",
    "select 1 where 0 and exists (select 1 from open join ((nosuch)))",
    "select * from open union all select id, word, level from secret",
    "with x as (select * from secret) select count(*) from x",
    "with recursive n(i) as (select 1 union select id from secret) select * from n",
    "with open as (select word from secret) select * from open",
    "select json_group_array(word) over () from secret",
    "select value from json_each((select json_group_array(word) from secret))",
    "select * from window",
    "select * from through_window",
    "select word from secret_fts",
    "select highlight(secret_fts, 0, '', '') from secret_fts('whisper')",
    "select * from secret_fts_data",
    "select term from words",
    "select * from areas",
    "select * from areas_node",
    "select rtreecheck('areas')",
    "select sql from sqlite_schema",
    "select sql from sqlite_master",
    "select * from sqlite_stat1",
    "select * from sqlite_sequence",
    "select * from sqlite_temp_schema",
    "select * from pragma_table_info('secret')",
    "select * from dbstat",
    "select json_each.value from json_each('[1]'), dbstat",
    "explain select * from secret",
    "explain query plan select * from secret",
    "explain select * from granted",
    "explain query plan select * from granted",
    "explain query plan select * from over_granted",
    "select * from nosuch",
    "select nosuch from open",
    "select nosuch(1)",
    "select * from temp.secret",
  ];
  for (const sql of refused) {
    it(`refuses ${sql}`, async () => {
      const reply = await run(sql);

      expect(reply.status).to.equal(403);
      expect(reply.json).to.deep.equal({ ok: false, error: MESSAGE, status: 403, title: "Forbidden" });
    });
  }

  const allowed: readonly (readonly [sql: string, first: unknown])[] = [
    ["select 1", 1],
    ["select title from open", "Emma"],
    ["select title from plain", "Emma"],
    ["with x as (select * from open) select title from x where id = 2", "Persuasion"],
    ["select title from open_fts where open_fts match 'emma'", "Emma"],
    ["select value from json_each('[5]')", 5],
    ["select title from open where word = 'secret' or word in ('a', 'secret') or id = 1", "Emma"],
    ["select 1 from (((select 2) join open)) where 0 is distinct from title", 1],
    ["select 1 as secret", 1],
    ["select 'open' as \"Secret\", secret.title from open as secret", "open"],
    ["with secret as (select title from open) select * from secret", "Emma"],
    ["with 'secret' as (select 2) select * from 'secret'", 2],
    ["select secret.word from granted as secret", "whisper"],
    ["select word from granted", "whisper"],
    ["select word from over_granted", "whisper"],
    ["explain query plan select title from open", 2],
    ["explain query plan select title from plain", 2],
  ];
  for (const [sql, first] of allowed) {
    it(`lets pass ${sql}`, async () => {
      const { status, json } = await run(sql);

      expect(status).to.equal(200);
      expect(json.rows[0][0]).to.equal(first);
    });
  }

  it("lets those read everything who may view everything", async () => {
    for (const sql of [...refused.slice(0, 10), "select sql from sqlite_schema", "select * from words"]) {
      const { status, json } = await run(sql, "root");
      expect([sql, status, json.error]).to.deep.equal([sql, 200, null]);
    }
  });

  it("distinguishes names that differ in letters outside of ASCII, as SQLite does", async () => {
    for (const sql of [
      "select body from json_each('[1]'), \"Ünder\"",
      'select body from granted, "Ünder"',
      "select body from json_each('[1]'), \"Ünder_view\"",
    ]) {
      const { status, text } = await run(sql);
      expect([sql, status]).to.deep.equal([sql, 403]);
      expect(text).not.to.match(SECRETS);
    }
    expect((await run('select body from "ünder"')).json.rows).to.deep.equal([["open"]]);
  });

  it("closes the full-text index of a table whose name differs from another in such a letter", async () => {
    const { status, text } = await rowhouse.get("/library/~C3~84_index.json?_search=murmur");

    expect(status).to.equal(403);
    expect(text).not.to.match(SECRETS);
  });

  it("shows syntax errors, which do not depend on hidden tables", async () => {
    const { status, json } = await run("select from where");

    expect([status, json.error]).to.deep.equal([400, 'near "from": syntax error']);
  });

  it("keeps the statement on the page, so that it can be put right", async () => {
    const { status, text } = await rowhouse.get("/library?sql=select+word+from+secret");

    expect(status).to.equal(403);
    expect(text).to.contain(MESSAGE).and.to.contain("select word from secret");
    expect(text).to.match(/data-schema="\{&quot;/);
  });

  it("holds for every format, streams included", async () => {
    for (const path of [
      "/library.csv?sql=select+word+from+secret",
      "/library.csv?sql=select+word+from+secret&_stream=on",
      "/library.json?_shape=array&_nl=on&sql=select+word+from+secret",
      "/library.json?_shape=array&_nl=on&_stream=on&sql=select+word+from+secret",
      "/library?sql=select+word+from+secret",
    ]) {
      const { status, text } = await rowhouse.get(path);
      expect([path, status]).to.deep.equal([path, 403]);
      expect(text).not.to.match(SECRETS);
    }
    expect((await rowhouse.get("/library.csv?sql=select+title+from+open&_stream=on")).text).to.contain(
      "Emma",
    );
  });

  const fragments = [
    "word in (select word from secret)",
    "word in secret",
    "exists (select 1 from secret where secret.word = open.word)",
    "(select level from secret limit 1) > 3",
    "1 = 1 union select id, word, level from secret",
    "id in (select id from window)",
    "id in (select 1 from pragma_table_info('secret'))",
  ];
  for (const where of fragments) {
    it(`refuses _where=${where}, in rows, counts, facets and export`, async () => {
      expect((await filter(where)).status).to.equal(403);
      const lines = "_shape=array&_nl=on&_stream=on";
      for (const suffix of ["_facet=title", "_size=0", "_shape=array", "_nocount=1", "_extra=count", lines]) {
        const path = `/library/open.json?${suffix}&_where=${encodeURIComponent(where)}`;
        expect((await rowhouse.get(path)).status).to.equal(403);
      }
      const csv = await rowhouse.get(`/library/open.csv?_stream=on&_where=${encodeURIComponent(where)}`);
      expect(csv.status).to.equal(403);
    });
  }

  it("lets _where pass that stays within the table", async () => {
    const { status, json } = await filter("title like 'E%' and id in (select id from open)");

    expect(status).to.equal(200);
    expect(json.filtered_table_rows_count).to.equal(1);
  });

  it("does not remember an answer for those who may not have it", async () => {
    const where = "word in (select word from secret)";
    await filter(where, "root");

    expect((await filter(where)).status).to.equal(403);
  });

  it("closes a view over a hidden table, unless the view has a grant of its own", async () => {
    for (const [view, status] of [
      ["plain", 200],
      ["window", 403],
      ["through_window", 403],
      ["granted", 200],
      ["over_granted", 200],
    ] as const) {
      expect([view, (await rowhouse.get(`/library/${view}.json`)).status]).to.deep.equal([view, status]);
      expect([view, (await rowhouse.get(`/library/${view}.json`, as("root"))).status]).to.deep.equal([
        view,
        200,
      ]);
    }
    const { json } = await rowhouse.get("/library.json");
    expect(json.views.map(({ name }: { name: string }) => name)).to.deep.equal([
      "plain",
      "granted",
      "over_granted",
    ]);
  });

  it("runs a canned query over a hidden table only for actors with a grant of the query itself", async () => {
    expect((await rowhouse.get("/library/careless.json")).status).to.equal(403);
    expect((await rowhouse.get("/library/careless.csv")).status).to.equal(403);
    expect((await rowhouse.get("/library/careless.json", as("root"))).status).to.equal(200);
    expect((await rowhouse.get("/library/careful.json")).status).to.equal(200);
    expect((await rowhouse.get("/library/harmless.json")).status).to.equal(200);
    expect((await rowhouse.post("/library/rewrite", { json: {} })).status).to.equal(403);
    expect(await rowhouse.query("select count(*) as n from open")).to.deep.equal([{ n: 2 }]);
  });

  it("names hidden tables neither in completion nor as the target of keys", async () => {
    const { text } = await rowhouse.get("/library.json");
    const page = await rowhouse.get("/library?sql=select+1");

    expect(text).not.to.match(/"(secret|window|words)"/);
    expect(page.text).not.to.match(/&quot;(secret|window|words)&quot;|"(secret|window|words)"/);
  });
});

describe("without confine_sql", () => {
  it("actors who may run SQL read everything, as published", async () => {
    const rowhouse = await rowhouseFor({ sql: SCRIPT, metadata });

    expect((await rowhouse.get("/library.json?sql=select+count(*)+from+secret")).status).to.equal(200);
    expect((await rowhouse.get("/library/window.json")).status).to.equal(200);
    expect((await rowhouse.get("/library/careless.json")).status).to.equal(200);
  });
});

describe("with confine_sql and a table of which something is hidden", () => {
  const narrowing = definePlugin({
    name: "narrowing",
    read_scope: (_rowhouse, { actor }) =>
      actor === null ? { table: "open", where: "id = 1", hiddenColumns: ["word"] } : null,
  });
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ sql: SCRIPT, settings: { confine_sql: true }, plugins: [narrowing] });
  });
  const filtered = (where: string) => rowhouse.get(`/library/open.json?_where=${encodeURIComponent(where)}`);

  it("SQL can't read it at all", async () => {
    expect((await rowhouse.get("/library.json?sql=select+title+from+open")).status).to.equal(403);
    expect((await rowhouse.get("/library.json?sql=select+title+from+plain")).status).to.equal(403);
    expect((await rowhouse.get("/library.json?sql=select+title+from+open", { as: "root" })).status).to.equal(
      200,
    );
  });

  it("_where sees what the page shows, and can't look behind it", async () => {
    expect((await filtered("title like '%e%' or id in (1, 2)")).json.rows).to.deep.equal([[1, "Emma"]]);
    expect((await filtered("exists (select 1 from open where id = 2)")).status).to.equal(403);
    expect((await filtered("'shout' in/* */open")).status).to.equal(403);
    expect((await filtered("word = 'whisper'")).status).to.equal(403);
  });
});
