import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";

const LIBRARY = `
  create table owners (id integer primary key, name text);
  create table countries (code text primary key);
  create table books (isbn text primary key);
  create table secrets (id integer primary key);
  create table places (x integer, y integer, primary key (x, y));
  create table keyless (name text);
  create view seen as select * from owners;
  create virtual table words using fts5(word);
  insert into owners values (1, 'Ann'), (2, 'Bob');
  insert into countries values ('fr');
  create table dogs (
    id integer primary key, owner_id integer, ownerId integer, owners_id integer, owner integer, "Owner-ID" integer,
    country text, country_code text, isbn text, secret_id integer, place_id integer, seen_id integer,
    breeder integer references owners (id), name text
  );
  insert into dogs (owner_id, owners_id, country, country_code) values (1, 1, 'fr', 'xx'), (null, 3, null, 'fr');`;

/** Ann may create and alter, but not view `secrets`; al may only alter. */
const METADATA = {
  databases: {
    library: {
      permissions: { "create-table": { id: "ann" }, "alter-table": { id: ["ann", "al"] } },
      tables: { secrets: { allow: { id: "root" } }, dogs: { allow: { id: ["root", "ann"] } } },
    },
  },
};

const serve = (more: Parameters<typeof rowhouseFor>[0] = {}): Promise<TestRowhouse> =>
  rowhouseFor({ sql: LIBRARY, metadata: METADATA, ...more });

const TARGETS = "/library/-/foreign-key-targets";
const SUGGESTIONS = "/library/dogs/-/foreign-key-suggestions";

const suggested = ({ json }: TestReply): readonly string[] =>
  (json.suggestions as readonly Record<string, string>[]).map(
    ({ column, fk_table, fk_column }) => `${column} -> ${fk_table}(${fk_column})`,
  );

const targeted = ({ json }: TestReply): readonly string[] =>
  (json.targets as readonly Record<string, string>[]).map(({ fk_table = "" }) => fk_table);

/** The tables in the menus of a form. */
const offered = ({ text }: TestReply): readonly string[] => [
  ...new Set([...text.matchAll(/<option\s*>(\w+)<\/option>/g)].map(([, name = ""]) => name)),
];

/** Hides rows or columns from Ann. */
const hiding = (scope: { table: string; where?: string; hiddenColumns?: readonly string[] }) =>
  definePlugin({ name: "hides", read_scope: (_rowhouse, { actor }) => (actor?.id === "ann" ? scope : null) });

describe("the targets of foreign keys", () => {
  it("are the tables with a key of one column, with its type", async () => {
    const rowhouse = await serve();

    const { status, headers, text } = await rowhouse.get(TARGETS, { as: "root" });

    expect(status).to.equal(200);
    expect(headers["content-type"]).to.equal("application/json; charset=utf-8");
    expect(text).to.equal(
      '{"ok": true, "database": "library", "targets": [' +
        '{"fk_table": "books", "fk_column": "isbn", "type": "text"}, ' +
        '{"fk_table": "countries", "fk_column": "code", "type": "text"}, ' +
        '{"fk_table": "dogs", "fk_column": "id", "type": "integer"}, ' +
        '{"fk_table": "owners", "fk_column": "id", "type": "integer"}, ' +
        '{"fk_table": "secrets", "fk_column": "id", "type": "integer"}]}',
    );
  });

  it("have types that create a column for them", async () => {
    const sql = `create table i (k integer primary key); create table r (k real primary key);
      create table n (k decimal primary key); create table d (k date primary key); create table t (k varchar(9) primary key);
      create table b (k blob primary key); create table u (k primary key);`;
    const rowhouse = await rowhouseFor({ sql });

    const { json } = await rowhouse.get(TARGETS, { as: "root" });

    const types = Object.fromEntries(
      (json.targets as { fk_table: string; type: string }[]).map(({ fk_table, type }) => [fk_table, type]),
    );
    expect(types).to.deep.equal({
      b: "blob",
      d: "integer",
      i: "integer",
      n: "integer",
      r: "float",
      t: "text",
      u: "blob",
    });
  });

  it("do not name a table that the actor may view only in part or not at all", async () => {
    const hidesRows = await serve({ plugins: [hiding({ table: "owners", where: "id > 1" })] });
    const hidesColumns = await serve({ plugins: [hiding({ table: "countries", hiddenColumns: ["code"] })] });

    const rows = await hidesRows.get(TARGETS, { as: "ann" });
    const columns = await hidesColumns.get(TARGETS, { as: "ann" });

    expect(targeted(rows)).to.deep.equal(["books", "countries", "dogs"]);
    expect(targeted(columns)).to.deep.equal(["books", "dogs", "owners"]);
  });

  it("are what the form for a new table offers", async () => {
    const rowhouse = await serve({ plugins: [hiding({ table: "owners", where: "id > 1" })] });

    const form = await rowhouse.get("/library/-/new-table", { as: "ann" });
    const whole = await rowhouse.get("/library/-/new-table", { as: "root" });

    expect(offered(form)).to.deep.equal(["books", "countries", "dogs"]);
    expect(offered(whole)).to.deep.equal(["books", "countries", "dogs", "owners", "secrets"]);
  });

  it("need create-table, also of a token", async () => {
    const rowhouse = await serve();
    const tokens = rowhouse.rowhouse.service("tokens");
    const restricted = await tokens.createToken("root", { restrictAll: ["view-instance", "alter-table"] });
    const enough = await tokens.createToken("root", { restrictAll: ["create-table"] });
    const get = (options: object): Promise<TestReply> => rowhouse.get(TARGETS, options);

    const replies = await Promise.all([get({}), get({ as: "al" }), get({ token: restricted })]);
    const allowed = await get({ token: enough });

    for (const { status, json } of replies) {
      expect(status).to.equal(403);
      expect(json).to.deep.equal({ ok: false, errors: ["Permission denied"] });
    }
    expect(allowed.json).to.deep.equal({ ok: true, database: "library", targets: [] });
  });

  it("are 404 in an unknown database, and 405 for POST", async () => {
    const rowhouse = await serve();

    const missing = await rowhouse.get("/nope/-/foreign-key-targets", { as: "root" });
    const posted = await rowhouse.post(TARGETS, { as: "root", json: {} });

    expect(missing.status).to.equal(404);
    expect(missing.json).to.deep.equal({ ok: false, errors: ["Database not found: nope"] });
    expect(posted.status).to.equal(405);
    expect(posted.headers["allow"]).to.equal("GET, HEAD, OPTIONS");
  });
});

describe("suggestions of foreign keys", () => {
  it("name the tables that the names of columns mean, and whether the values are there", async () => {
    const rowhouse = await serve();

    const { status, json } = await rowhouse.get(SUGGESTIONS, { as: "ann" });

    expect(status).to.equal(200);
    expect(json).to.include({ ok: true, database: "library", table: "dogs" });
    const owner = { fk_table: "owners", fk_column: "id" };
    const country = { fk_table: "countries", fk_column: "code" };
    expect(json.suggestions).to.deep.equal([
      { column: "owner_id", ...owner, matches: true },
      { column: "ownerId", ...owner, matches: true },
      { column: "owners_id", ...owner, matches: false },
      { column: "owner", ...owner, matches: true },
      { column: "Owner-ID", ...owner, matches: true },
      { column: "country", ...country, matches: true },
      { column: "country_code", ...country, matches: false },
      { column: "isbn", fk_table: "books", fk_column: "isbn", matches: true },
    ]);
  });

  it("leave out types that do not fit, names without a table, own keys, and keys that several tables have", async () => {
    const rowhouse = await rowhouseFor({
      sql: `
        create table owners (id integer primary key);
        create table parts (id integer primary key, sku text);
        create table stock (sku text primary key);
        create table prices (sku text primary key);
        create table lists (token text primary key);
        create table things (
          id integer primary key, owner text, owner_id, part_id real, other_id integer, sku text, token text,
          doubled integer generated always as (id * 2), parent integer references owners, lists_id text
        );`,
    });
    const of = (table: string): Promise<TestReply> =>
      rowhouse.get(`/library/${table}/-/foreign-key-suggestions`, { as: "root" });

    expect(suggested(await of("things"))).to.deep.equal([
      "owner_id -> owners(id)",
      "part_id -> parts(id)",
      "token -> lists(token)",
      "lists_id -> lists(token)",
    ]);
    expect(suggested(await of("lists"))).to.deep.equal([]);
    expect(suggested(await of("parts"))).to.deep.equal([]);
  });

  it("can be added as foreign keys", async () => {
    const rowhouse = await serve();
    const { json } = await rowhouse.get(SUGGESTIONS, { as: "root" });
    const matching = (json.suggestions as { matches: boolean }[]).filter(({ matches }) => matches);
    const operations = matching.map(({ matches: _matches, ...args }) => ({ op: "add_foreign_key", args }));

    const { status } = await rowhouse.post("/library/dogs/-/alter", { as: "root", json: { operations } });
    const again = await rowhouse.get(SUGGESTIONS, { as: "root" });

    expect(status).to.equal(200);
    expect(matching).to.have.length(7);
    expect(suggested(again)).to.deep.equal(["owners_id -> owners(id)", "country_code -> countries(code)"]);
  });

  it("do not tell about tables that the actor may view only in part", async () => {
    const rowhouse = await serve({ plugins: [hiding({ table: "owners", where: "id > 1" })] });

    const ann = await rowhouse.get(SUGGESTIONS, { as: "ann" });
    const root = await rowhouse.get(SUGGESTIONS, { as: "root" });

    expect(ann.text).not.to.match(/owner|secret/i);
    expect(suggested(root)).to.include.members(["owner_id -> owners(id)", "secret_id -> secrets(id)"]);
  });

  it("are refused for a table of which a part is hidden, as its alteration is", async () => {
    const rowhouse = await serve({ plugins: [hiding({ table: "dogs", hiddenColumns: ["owner_id"] })] });

    const { status, json } = await rowhouse.get(SUGGESTIONS, { as: "ann" });

    expect(status).to.equal(403);
    expect(json.errors).to.deep.equal(["Permission denied: a part of dogs is hidden from you"]);
  });

  it("need alter-table and view-table, also of a token", async () => {
    const rowhouse = await serve();
    const tokens = rowhouse.rowhouse.service("tokens");
    const viewing = ["view-instance", "view-database", "view-table"];
    const viewer = await tokens.createToken("ann", { restrictAll: [...viewing, "create-table"] });
    const alterer = await tokens.createToken("ann", { restrictAll: ["alter-table"] });
    const both = await tokens.createToken("ann", { restrictAll: [...viewing, "alter-table"] });
    const get = async (options: object): Promise<unknown> => {
      const { status, json } = await rowhouse.get(SUGGESTIONS, options);
      return [status, ...(json.errors ?? [])];
    };
    const needsView = [403, "Permission denied: need view-table to read suggestions of foreign keys"];

    expect(await get({})).to.deep.equal([403, "Permission denied"]);
    expect(await get({ token: viewer })).to.deep.equal([403, "Permission denied"]);
    expect(await get({ token: alterer })).to.deep.equal(needsView);
    expect(await get({ as: "al" })).to.deep.equal(needsView);
    expect(await get({ token: both })).to.deep.equal([200]);
  });

  it("are 404 for what is no table, 403 for actors who may not know, and 405 for POST", async () => {
    const rowhouse = await serve();
    const get = async (table: string, options: object): Promise<unknown> => {
      const { status, json } = await rowhouse.get(`/library/${table}/-/foreign-key-suggestions`, options);
      return [status, json.errors];
    };

    expect(await get("nope", { as: "root" })).to.deep.equal([404, ["Table not found: nope"]]);
    expect(await get("seen", { as: "root" })).to.deep.equal([404, ["Table not found: seen"]]);
    expect(await get("words", { as: "root" })).to.deep.equal([400, ["Cannot alter a virtual table: words"]]);
    expect(await get("secrets", { as: "eve" })).to.deep.equal([403, ["Permission denied"]]);
    const posted = await rowhouse.post(SUGGESTIONS, { as: "root", json: {} });
    expect(posted.status).to.equal(405);
  });

  it("have null for values that could not be compared within the time limit", async () => {
    const rowhouse = await rowhouseFor({
      sql: `
        create table owners (id integer primary key);
        create table dogs (owner_id integer);
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000)
          insert into owners select i from n;
        insert into dogs select id from owners;`,
      settings: { sql_time_limit_ms: 1 },
    });

    const { json } = await rowhouse.get("/library/dogs/-/foreign-key-suggestions", { as: "root" });

    expect(json.suggestions).to.deep.equal([
      { column: "owner_id", fk_table: "owners", fk_column: "id", matches: null },
    ]);
  });
});
