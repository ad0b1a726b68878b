import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import { OpenAPIClientAxios, type Document } from "openapi-client-axios";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type RequestOptions, type TestRowhouse } from "../../harness/index.js";

const contents = {
  sql: `
    create table authors (id integer primary key, name text not null, born integer);
    insert into authors values (1, 'Austen', 1775), (2, 'Joyce', 1882);
    create table books (id integer primary key, title text, price real, cover blob, note,
      author_id integer references authors, shout text generated always as (upper(title)));
    insert into books (id, title, price, author_id) values (1, 'Emma', 9.5, 1), (2, 'Ulysses', null, 2);
    create table shelves (room text, number integer, primary key (room, number));
    insert into shelves values ('a b', 1);
    create table log (message text);
    create table "odd/name {x}" ("a column" text primary key, "_secret" text, "__proto__" text);
    insert into "odd/name {x}" values ('k/1', 's', 'p');
    create virtual table books_fts using fts5(title, content="books");
    create table diaries (id integer primary key, entry text);`,
  views: { titles: "select title from books" },
  metadata: {
    title: "The library",
    permissions: { "insert-row": { id: "ann" }, "update-row": { id: "ann" } },
    databases: {
      library: {
        tables: { diaries: { allow: { id: "eve" } } },
        queries: {
          born_before: {
            sql: "select name from authors where born < cast(:year as integer)",
            title: "Born before",
          },
          private_query: { sql: "select 1", allow: { id: "eve" } },
          rename: { sql: "update authors set name = :name where id = :id", write: true },
        },
      },
    },
  },
};

async function documentFor(rowhouse: TestRowhouse, options: RequestOptions = {}): Promise<Document> {
  const { json } = await rowhouse.get("/-/openapi.json", options);
  return json;
}

const endpointsOf = ({ paths }: Document): readonly string[] =>
  Object.entries(paths ?? {}).flatMap(([path, item]) =>
    Object.keys(item ?? {}).map((method) => `${method} ${path}`),
  );

/** The operations that write. Rows are read by many keys with POST, too. */
const writesOf = (document: Document): readonly string[] =>
  endpointsOf(document).filter((endpoint) => /^post .*\/-\/(?!rows$)/.test(endpoint));

describe("/-/openapi.json", () => {
  const visitors: readonly (readonly [who: string, options: RequestOptions])[] = [
    ["an anonymous client", {}],
    ["who may write", { as: "ann" }],
    ["root", { as: "root" }],
  ];
  for (const [who, options] of visitors) {
    it(`is a valid OpenAPI 3.1 document to ${who}`, async () => {
      const document = await documentFor(await rowhouseFor(contents), options);

      const validator = new Validator();
      const { valid, errors } = await validator.validate({ ...document });

      expect(errors, JSON.stringify(errors)).to.equal(undefined);
      expect(valid).to.equal(true);
      expect(validator.version).to.equal("3.1");
      expect(() => validator.resolveRefs()).not.to.throw();
    });
  }

  it("names every operation once", async () => {
    const { paths } = await documentFor(await rowhouseFor(contents), { as: "root" });

    const ids = Object.values(paths ?? {}).flatMap((item) =>
      Object.values(item ?? {}).map((operation) => (operation as { operationId: string }).operationId),
    );

    expect(new Set(ids).size).to.equal(ids.length);
  });

  it("has what is there: databases, tables, views, rows, queries, exports and documents", async () => {
    const endpoints = endpointsOf(await documentFor(await rowhouseFor(contents)));

    expect(endpoints).to.include.members([
      "get /.json",
      "get /-/versions.json",
      "get /library.json",
      "get /library/books.json",
      "get /library/books.csv",
      "get /library/books/{id}.json",
      "get /library/shelves/{room},{number}.json",
      "get /library/log/{rowid}.json",
      "get /library/titles.json",
      "get /library/odd~2Fname+~7Bx~7D/{key1}.json",
      "get /library/born_before.json",
      "post /library/rename",
    ]);
    expect(endpoints).not.to.include("get /library/titles/{rowid}.json");
  });

  it("has SQL that changes rows for who may run it", async () => {
    const rowhouse = await rowhouseFor(contents);

    expect(writesOf(await documentFor(rowhouse, { as: "root" }))).to.include("post /library/-/execute-write");
    expect(writesOf(await documentFor(rowhouse, { as: "ann" }))).not.to.include(
      "post /library/-/execute-write",
    );
  });

  it("describes a table and not the query of the same name, which its path never runs", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1 }] },
      metadata: { databases: { library: { queries: { books: "select 2 as id" } } } },
    });

    const { text } = await rowhouse.get("/-/openapi.json");
    const { json } = await rowhouse.get("/library/books.json?_shape=array");

    expect(json).to.deep.equal([{ id: 1 }]);
    expect(text.split('"/library/books.json"')).to.have.length(2);
    expect(text).not.to.include("library_books_query");
  });

  it("names each parameter of an operation, each required member and each section once", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table places (key2 text, "a b" text, primary key (key2, "a b"));
        create table nameless ("" text, b text);`,
      databases: { instance: "create table books (id)" },
      metadata: {
        databases: {
          library: {
            queries: {
              twice: { sql: "select :a", params: ["a", "a"] },
              unnamed: "select ?",
              write_twice: { sql: "delete from nameless where b = :b", write: true, params: ["b", "b"] },
            },
          },
        },
      },
    });
    const { paths, tags } = await documentFor(rowhouse, { as: "root" });

    expect(parameterNames(paths?.["/library/places/{key1},{key2}.json"]).slice(0, 2)).to.deep.equal([
      "key1",
      "key2",
    ]);
    expect(parameterNames(paths?.["/library/nameless.json"])).to.include("b").and.not.include("");
    expect(parameterNames(paths?.["/library/twice.json"])).to.deep.equal(["a"]);
    expect(parameterNames(paths?.["/library/unnamed.json"])).to.deep.equal([]);
    expect(paths?.["/library/write_twice"]).to.have.deep.nested.property(
      "post.requestBody.content.application/json.schema.required",
      ["b"],
    );
    expect(tags?.map(({ name }) => name)).to.deep.equal(["instance", "library"]);
  });

  it("has no query that the path of a hidden table never runs", async () => {
    const rowhouse = await rowhouseFor({
      tables: { gone: [{ id: 1 }] },
      metadata: {
        databases: { library: { tables: { gone: { allow: false } }, queries: { gone: "select 2 as id" } } },
      },
    });

    expect((await rowhouse.get("/library/gone.json")).status).to.equal(403);
    expect((await documentFor(rowhouse)).paths).not.to.have.property("/library/gone.json");
  });

  it("has changes of rows, and none of the whole table, for actors from whom a part of it is hidden", async () => {
    for (const scope of [{ where: "id = 1" }, { hiddenColumns: ["born"] }]) {
      const rules = definePlugin({
        name: "rules",
        read_scope: (_rowhouse, { actor }) => (actor?.id === "root" ? { table: "authors", ...scope } : null),
      });
      const document = await documentFor(await rowhouseFor({ ...contents, plugins: [rules] }), {
        as: "root",
      });

      const ofAuthors = endpointsOf(document).filter((endpoint) => endpoint.includes(" /library/authors/-/"));
      expect(ofAuthors).to.have.members([
        "get /library/authors/-/autocomplete.json",
        "get /library/authors/-/columns.json",
        ...["delete", "insert", "rows", "update", "upsert"].map((end) => `post /library/authors/-/${end}`),
      ]);
      expect(endpointsOf(document)).to.include("post /library/books/-/alter");
    }
  });

  it("has the types of columns and the names of filters", async () => {
    const { paths, components } = await documentFor(await rowhouseFor(contents));
    const row = components?.schemas?.["row_library_books"] as { properties: object } | undefined;

    expect(row?.properties).to.have.nested.property("id.anyOf[0].type", "integer");
    expect(row?.properties).to.have.nested.property("price.anyOf[0].type", "number");
    expect(row?.properties).to.have.nested.property("cover.anyOf[0].$ref", "#/components/schemas/Blob");
    const names = parameterNames(paths?.["/library/odd~2Fname+~7Bx~7D.json"]);
    expect(names).to.include.members(["a column", "_secret__exact", "__proto____exact"]);
  });

  it("has the arguments of exports, and not those of what only documents have", async () => {
    const document = await documentFor(await rowhouseFor(contents));

    const names = argumentNames(document, "/library/books.csv");
    expect(names).to.include.members([
      "_header",
      "_stream",
      "_size",
      "_sort_desc",
      "_order",
      "_col",
      "_labels",
    ]);
    expect(names).not.to.include.oneOf(["_facet", "_facet_array", "_nosuggest", "_nocount", "_shape"]);
    expect(argumentNames(document, "/library/books.json")).to.include.members([
      "_facet",
      "_nocount",
      "_order",
    ]);
  });

  it("lists the parameters of a query, and its description", async () => {
    const { paths } = await documentFor(await rowhouseFor(contents));

    const item = paths?.["/library/born_before.json"] as { get: { summary: string } };

    expect(item.get.summary).to.equal("Born before");
    expect(parameterNames(paths?.["/library/born_before.json"])).to.include("year");
  });

  it("names nothing that the visitor may not see", async () => {
    const rowhouse = await rowhouseFor({
      ...contents,
      databases: { vault: "create table gold (bars integer)" },
      metadata: {
        ...contents.metadata,
        databases: { ...contents.metadata.databases, vault: { allow: { id: "eve" } } },
      },
    });

    const anonymous = await rowhouse.get("/-/openapi.json");
    const page = await rowhouse.get("/-/openapi");
    const eve = await rowhouse.get("/-/openapi.json", { as: "eve" });

    for (const { text } of [anonymous, page])
      expect(text).not.to.match(/diaries|entry|private_query|vault|gold/);
    expect(eve.text).to.include("diaries").and.to.include("private_query").and.to.include("vault");
  });

  it("has the ways of writing that the visitor may go, and no others", async () => {
    const rowhouse = await rowhouseFor(contents);
    const writes = async (options: RequestOptions): Promise<readonly string[]> =>
      writesOf(await documentFor(rowhouse, options));

    const ann = await writes({ as: "ann" });
    const posts = ann.filter((endpoint) => endpoint.startsWith("post /library/authors"));

    expect(await writes({})).to.deep.equal([]);
    expect(posts).to.have.members([
      "post /library/authors/-/insert",
      "post /library/authors/-/upsert",
      "post /library/authors/-/update",
      "post /library/authors/{id}/-/update",
    ]);
    expect(await writes({ as: "root" })).to.include.members([
      "post /library/-/create",
      "post /library/authors/-/drop",
      "post /library/authors/-/alter",
      "post /library/authors/-/create-index",
      "post /library/authors/-/enable-search",
    ]);
  });

  it("has foreign keys for actors who may create and alter tables", async () => {
    const rowhouse = await rowhouseFor(contents);
    const keys = async (options: RequestOptions): Promise<readonly string[]> =>
      endpointsOf(await documentFor(rowhouse, options)).filter((path) => path.includes("foreign-key"));

    expect(await keys({ as: "ann" })).to.deep.equal([]);
    expect(await keys({ as: "root" }))
      .to.include.members([
        "get /library/-/foreign-key-targets",
        "get /library/books/-/foreign-key-suggestions",
      ])
      .and.not.include("get /library/titles/-/foreign-key-suggestions");
  });

  it("has no ways of writing to an immutable database, or where the plugin for it is off", async () => {
    const immutable = await rowhouseFor({ ...contents, immutable: ["library"] });
    const without = await rowhouseFor({ ...contents, without: ["write-api", "api-explorer"] });

    for (const rowhouse of [immutable, without]) {
      expect(writesOf(await documentFor(rowhouse, { as: "root" }))).to.deep.equal([]);
    }
  });

  it("offers SQL only to who may run it", async () => {
    const rowhouse = await rowhouseFor({
      ...contents,
      metadata: { ...contents.metadata, allow_sql: { id: "ann" } },
    });

    const anonymous = await documentFor(rowhouse);
    const ann = await documentFor(rowhouse, { as: "ann" });

    expect(parameterNames(anonymous.paths?.["/library.json"])).not.to.include("sql");
    expect(parameterNames(ann.paths?.["/library.json"])).to.include("sql");
  });

  it("describes the authentication", async () => {
    const open = await documentFor(await rowhouseFor(contents));
    const noTokens = await documentFor(
      await rowhouseFor({ ...contents, settings: { allow_signed_tokens: false } }),
    );

    expect(Object.keys(open.components?.securitySchemes ?? {})).to.deep.equal(["token", "cookie"]);
    expect(Object.keys(noTokens.components?.securitySchemes ?? {})).to.deep.equal(["cookie"]);
  });

  it("describes what the settings about errors change", async () => {
    const settings = { uniform_errors: true, refuse_invalid_tokens: true };
    const { components } = await documentFor(await rowhouseFor({ ...contents, settings }));
    const { components: others } = await documentFor(await rowhouseFor(contents));

    expect(components).to.have.deep.nested.property("schemas.Error.required", [
      "ok",
      "error",
      "errors",
      "status",
    ]);
    expect(components).to.have.nested.property("securitySchemes.token.description").that.includes("401");
    expect(others).to.have.deep.nested.property("schemas.Error.required", ["ok"]);
    expect(others).to.have.nested.property("securitySchemes.token.description").that.not.includes("401");
  });

  it("is closed with the instance", async () => {
    const rowhouse = await rowhouseFor({ ...contents, metadata: { allow: { id: "ann" } } });

    expect((await rowhouse.get("/-/openapi.json")).status).to.equal(403);
    expect((await rowhouse.get("/-/openapi")).status).to.equal(403);
  });

  it("has an HTML page with links to the paths of GET operations", async () => {
    const { status, text } = await (await rowhouseFor(contents)).get("/-/openapi");

    expect(status).to.equal(200);
    expect(text).to.include('<a href="/library/books.json">').and.to.include("/-/openapi.json");
  });

  it("of a database leads back to the database, and has its description", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table t (id)",
      metadata: { description: "Of the site", databases: { library: { description: "Of the library" } } },
    });

    const { text } = await rowhouse.get("/library/-/openapi");

    expect(text).to.include(`<li><a href="/library" dir="auto">library</a></li>`);
    expect(text).to.include("<p>Of the library</p>").and.not.include("Of the site");
  });
});

const parameterNames = (item: unknown): readonly string[] =>
  (item as { get: { parameters?: { name?: string }[] } }).get.parameters?.flatMap(({ name }) => name ?? []) ??
  [];

/** The names of all parameters of GET, also of those that are components. */
function argumentNames({ paths, components }: Document, path: string): readonly string[] {
  const item = paths?.[path] as
    | { get: { parameters?: readonly { name?: string; $ref?: string }[] } }
    | undefined;
  const all = components?.["parameters"] as Readonly<Record<string, { readonly name: string }>> | undefined;
  return (item?.get.parameters ?? []).map(
    ({ name, $ref = "" }) => name ?? all?.[$ref.split("/").at(-1) ?? ""]?.name ?? "",
  );
}

/** A client that knows nothing of Rowhouse but the document. */
async function clientFor(rowhouse: TestRowhouse, actor: string) {
  const token = await rowhouse.rowhouse.service("tokens").createToken(actor);
  const definition = await documentFor(rowhouse, { token });
  const api = new OpenAPIClientAxios({
    definition,
    axiosConfigDefaults: {
      headers: { authorization: `Bearer ${token}` },
      paramsSerializer: { indexes: null },
    },
  });
  return api.init();
}

describe("A client made from /-/openapi.json", () => {
  it("pages through a table, filters it, and reads a row, and rows by their keys", async () => {
    const client = await clientFor(await rowhouseFor(contents), "ann");

    const first = await client["library_authors_rows"]?.({ _size: 1, _shape: "objects" });
    const second = await client["library_authors_rows"]?.({
      _size: 1,
      _next: first?.data.next,
      _shape: "objects",
    });
    const filtered = await client["library_authors_rows"]?.({ name: "Joyce", _shape: "array" });
    const row = await client["library_shelves_row"]?.({ room: "a b", number: "1", _shape: "array" });

    const byKey = await client["library_authors_rows_by_key"]?.({}, { keys: [2, "9"] });

    expect(byKey?.data.rows).to.have.length(2);
    expect(byKey?.data.rows[0]).to.deep.include({ row: { id: 2, name: "Joyce", born: 1882 } });
    expect(byKey?.data.rows[1]).to.equal(null);
    expect(first?.data.rows).to.deep.equal([{ id: 1, name: "Austen", born: 1775 }]);
    expect(second?.data.rows).to.deep.equal([{ id: 2, name: "Joyce", born: 1882 }]);
    expect(filtered?.data).to.deep.equal([{ id: 2, name: "Joyce", born: 1882 }]);
    expect(row?.data).to.deep.equal([{ room: "a b", number: 1 }]);
  });

  it("runs SQL and canned queries with their parameters", async () => {
    const client = await clientFor(await rowhouseFor(contents), "ann");

    const sql = await client["library_database"]?.({
      sql: "select count(*) as n from books",
      _shape: "array",
    });
    const query = await client["library_born_before_query"]?.({ year: "1800", _shape: "array" });

    expect(sql?.data).to.deep.equal([{ n: 2 }]);
    expect(query?.data).to.deep.equal([{ name: "Austen" }]);
  });

  it("writes: inserts, updates, and runs a query that writes", async () => {
    const rowhouse = await rowhouseFor(contents);
    const client = await clientFor(rowhouse, "ann");

    const inserted = await client["library_authors_insert_rows"]?.(
      {},
      { row: { name: "Woolf", born: 1882 } },
    );
    const updated = await client["library_authors_update_row"]?.({ id: "2" }, { update: { born: 1881 } });
    const run = await client["library_rename_run"]?.({ _json: "1" }, { name: "Jane Austen", id: 1 });

    expect(inserted?.status).to.equal(201);
    expect(updated?.data).to.deep.equal({ ok: true });
    expect(run?.data).to.include({ ok: true });
    expect(await rowhouse.rows("authors")).to.deep.equal([
      { id: 1, name: "Jane Austen", born: 1775 },
      { id: 2, name: "Joyce", born: 1881 },
      { id: 3, name: "Woolf", born: 1882 },
    ]);
  });
});

describe("The description of the API of many tables", () => {
  const names = Array.from({ length: 201 }, (_, index) => `t${index}`);
  const sql = `${names.map((name) => `create table ${name} (id);`).join(" ")} create table diaries (id);`;
  const metadata = { databases: { library: { tables: { diaries: { allow: { id: "eve" } } } } } };

  it("leaves them out, and says how to get them", async () => {
    const rowhouse = await rowhouseFor({ sql, metadata });

    for (const path of ["/-/openapi", "/library/-/openapi"]) {
      const { json, text } = await rowhouse.get(`${path}.json`, { as: "root" });
      expect(endpointsOf(json)).to.include("post /library/-/batch").and.not.include("get /library/t1.json");
      expect(json.info.description).to.include("201 tables are left out").and.include("?table=NAME");
      expect(text.length).to.be.below(200_000);
      expect((await rowhouse.get(path)).text).to.include("201 tables are left out");
    }
  });

  it("has those that a request names, in a document of their database", async () => {
    const rowhouse = await rowhouseFor({ sql, metadata });
    const { json } = await rowhouse.get("/library/-/openapi.json?table=t1&table=t2");
    const { text } = await rowhouse.get("/library/-/openapi?table=t1");
    const tables = endpointsOf(json).filter((endpoint) => /^get \/library\/\w+\.json/.test(endpoint));

    expect((await new Validator().validate(json)).valid).to.equal(true);
    expect(tables).to.deep.equal(["get /library/t1.json", "get /library/t2.json"]);
    expect(Object.keys(json.components.schemas))
      .to.include("row_library_t2")
      .and.not.include("row_library_t3");
    expect(json.tags).to.deep.equal([{ name: "library", description: "The database library" }]);
    expect(endpointsOf(json)).not.to.include("get /.json");
    expect(text).to.include('href="/library/-/openapi.json?table=t1"').and.include("/library/t1.json");
  });

  it("is refused for tables that the client may not view or that do not exist, and for too many", async () => {
    const rowhouse = await rowhouseFor({ sql, metadata });
    const errorOf = async (query: string) =>
      (await rowhouse.get(`/library/-/openapi.json?${query}`)).json.error;

    expect(await errorOf("table=nope")).to.equal("table=nope is not a table that you may view");
    expect(await errorOf("table=diaries")).to.equal("table=diaries is not a table that you may view");
    expect(await errorOf(names.map((name) => `table=${name}`).join("&"))).to.equal(
      "At most 200 tables are described at once, not 201",
    );
  });
});
