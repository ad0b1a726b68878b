import { join } from "node:path";
import { expect } from "chai";
import { definePlugin, reply } from "rowhouse/plugin-api";
import {
  documentReply,
  getEndpoint,
  postEndpoint,
  queryArgument,
  type ApiDescription,
  type Described,
} from "rowhouse/plugin-api/openapi";
import { temporaryFolder } from "../../harness/folders.js";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name?: string; readonly $ref?: string }[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const documentOf = async (rowhouse: TestRowhouse, as?: string): Promise<Document> =>
  (await rowhouse.get("/-/openapi.json", as === undefined ? {} : { as })).json;

const words = documentReply("The words", { words: { type: "array", items: { type: "string" } } });

/** A plugin as others write it: routes, and their description. */
const wordPlugin = definePlugin({
  name: "words",
  register_permissions: () => ({
    name: "count-words",
    abbr: "cw",
    description: "Count words",
    takes_database: true,
    takes_resource: true,
    default: false,
  }),
  register_routes: () => ({
    name: "words",
    path: "/:database/:resource/-/words.json",
    target: "table",
    view: () => reply.json('{"ok": true, "words": []}'),
  }),
  describe_api: () => ({
    actions: ["count-words"],
    parameters: { longest: queryArgument("_longest", "Only words up to this length", { type: "integer" }) },
    schemas: () => ({ Word: { type: "string" } }),
    securitySchemes: () => ({ badge: { type: "apiKey", in: "header", name: "X-Badge" } }),
    instance: (place) => [
      getEndpoint(place, "/-/words.json", { id: "words", summary: "All words", reply: words }),
    ],
    database: async (place) => [
      postEndpoint(place, "/-/words", {
        id: "add_words",
        summary: "Add",
        body: { type: "object" },
        reply: words,
      }),
    ],
    table: (place) =>
      place.may("count-words")
        ? [getEndpoint(place, "/-/words.json", { id: "words", summary: "Words of rows", reply: words })]
        : [],
    tableSchemas: ({ table }) => ({ word: { enum: table.columns.map(({ name }) => name) } }),
    rowParameters: () => [queryArgument("_words", "Rows with these words")],
  }),
});

const contents = {
  tables: { books: [{ id: 1, title: "Emma" }], diaries: [{ id: 1 }] },
  metadata: {
    databases: {
      library: {
        permissions: { "count-words": { id: "ann" } },
        tables: { diaries: { allow: { id: "eve" } } },
      },
    },
  },
};

/** Descriptions with a mistake, and what the log says of it. */
const careless: readonly (readonly [mistake: string, description: object, reason: RegExp])[] = [
  [
    "it asks for a permission that it does not name",
    { table: askFor("nope") },
    /table of describe_api: .*nope/,
  ],
  ["its actions are a text", { actions: "insert-row" }, /a list of actions/],
  ["its function for tables throws", { table: refuse }, /table of describe_api: no words/],
  ["its function for tables is asynchronous", { table: async () => [] }, /table of .* promise/],
  ["its function for databases rejects", { database: async () => refuse() }, /database of .*: no words/],
  ["its function for the server throws", { instance: refuse }, /instance of .*: no words/],
  ["an endpoint has no operation", { table: () => [{ path: "/x", method: "get" }] }, /a list of endpoints/],
  [
    "the path of an endpoint has a parameter that is not declared",
    {
      table: (place: Described) => [
        getEndpoint(place, "/{key}/-/x", { id: "x", summary: "X", reply: words }),
      ],
    },
    /the parameters of its path/,
  ],
  ["its schemas are no object", { tableSchemas: () => "text" }, /tableSchemas of .* an object/],
  ["its arguments of rows throw", { rowParameters: refuse }, /rowParameters of .*: no words/],
];

function askFor(action: string) {
  return ({ may }: Described) => (may(action) ? [] : []);
}

function refuse(): never {
  throw new Error("no words");
}

describe("The API that a plugin describes", () => {
  it("has its endpoints of the server, of databases and of tables, each with an id and a section", async () => {
    const { paths } = await documentOf(await rowhouseFor({ ...contents, plugins: [wordPlugin] }), "ann");

    expect(paths["/-/words.json"]?.["get"]).to.deep.include({ operationId: "words", tags: ["instance"] });
    expect(paths["/library/-/words"]?.["post"]).to.deep.include({
      operationId: "library_add_words",
      tags: ["library"],
    });
    expect(paths["/library/books/-/words.json"]?.["get"]).to.deep.include({
      operationId: "library_books_words",
      summary: "Words of rows",
    });
  });

  it("has its schemas, parameters and ways to authenticate", async () => {
    const { components, paths } = await documentOf(
      await rowhouseFor({ ...contents, plugins: [wordPlugin] }),
      "ann",
    );
    const ofRows = paths["/library/books.json"]?.["get"]?.parameters?.map(({ name }) => name);

    expect(components["schemas"]).to.deep.include({
      Word: { type: "string" },
      word_library_books: { enum: ["id", "title"] },
    });
    expect(components["parameters"]).to.have.property("longest");
    expect(components["securitySchemes"]).to.have.keys("token", "cookie", "badge");
    expect(ofRows).to.include("_words");
  });

  it("lists for an actor what the plugin lists for its permissions, and no hidden table", async () => {
    const rowhouse = await rowhouseFor({ ...contents, plugins: [wordPlugin] });
    const anonymous = await documentOf(rowhouse);
    const ann = await documentOf(rowhouse, "ann");

    expect(anonymous.paths).not.to.have.property("/library/books/-/words.json");
    expect(ann.paths).not.to.have.property("/library/diaries/-/words.json");
    expect(JSON.stringify(ann)).not.to.contain("diaries");
  });

  for (const [mistake, description, reason] of careless) {
    it(`is missing, with one line in the log, if ${mistake}`, async () => {
      const plugin = definePlugin({ name: "careless", describe_api: () => description as ApiDescription });
      const rowhouse = await rowhouseFor({ ...contents, plugins: [plugin, wordPlugin] });

      const { paths } = await documentOf(rowhouse, "eve");

      expect(paths).to.include.keys("/-/words.json", "/library/books.json", "/library/diaries.json");
      const lines = rowhouse.logged.filter((line) => line.includes("careless"));
      expect(lines).to.have.length(1);
      expect(lines[0]).to.match(reason);
    });
  }

  for (const [kind, description, name] of [
    ["schema", { schemas: () => ({ Word: { title: "of the second" } }) }, "Word"],
    ["schema", { tableSchemas: () => ({ word: { title: "of the second" } }) }, "word_library_books"],
    ["parameter", { parameters: { longest: queryArgument("_longest", "of the second") } }, "longest"],
    ["security scheme", { securitySchemes: () => ({ badge: { title: "of the second" } }) }, "badge"],
  ] as const) {
    it(`has the first ${kind} of a name, and the log names the plugins of both`, async () => {
      const second = definePlugin({ name: "second", describe_api: () => description });
      const rowhouse = await rowhouseFor({ ...contents, plugins: [wordPlugin, second] });

      const { text } = await rowhouse.get("/-/openapi.json");
      const lines = rowhouse.logged.filter((line) => line.includes("left out"));

      expect(text.split(`"${name}": {`)).to.have.length(2);
      expect(text).not.to.include("of the second");
      expect(lines).to.have.length(1);
      expect(lines[0]).to.include(
        `The ${kind} ${name} that the plugin second describes is left out: the plugin words describes one`,
      );
    });
  }

  it("has an argument for each type of facet that a plugin registers", async () => {
    const facet = { type: "initial-letter", values: async () => [], suggest: async () => [] };
    const plugin = definePlugin({ name: "letters", register_facet_classes: () => [facet] });
    const { components, paths } = await documentOf(await rowhouseFor({ ...contents, plugins: [plugin] }));
    const refs = paths["/library/books.json"]?.["get"]?.parameters?.map((one) => Object.values(one)[0]);

    expect(components.parameters).to.have.nested.property(
      "facet_initial_letter.name",
      "_facet_initial-letter",
    );
    expect(refs).to.include("#/components/parameters/facet_initial_letter");
    expect(refs).to.include("#/components/parameters/facet_array");
  });

  it("has one parameter of a name at a path that another plugin describes too", async () => {
    const plugin = definePlugin({
      name: "own-order",
      describe_api: () => ({
        table: (place) => [
          getEndpoint(place, ".json", {
            id: "ordered",
            summary: "Ordered",
            parameters: [queryArgument("_sort", "My order")],
            reply: words,
          }),
        ],
      }),
    });
    const { paths } = await documentOf(await rowhouseFor({ ...contents, plugins: [plugin] }));

    const names = paths["/library/books.json"]?.["get"]?.parameters?.map(({ name }) => name);
    expect(names?.filter((name) => name === "_sort")).to.have.length(1);
  });
});

describe("The order of the API", () => {
  it("has what reads before what writes, and documents before those that they lead to", async () => {
    const { get } = await rowhouseFor({
      ...contents,
      metadata: { databases: { library: { queries: { total: "select 1 as one" } } } },
    });
    const { paths } = (await get("/-/openapi.json", { as: "root" })).json as Document;
    const [first, ...others] = Object.keys(paths);
    const ofLibrary = others.filter((path) => /^\/library(\.json|\/[^/]*\.json|\/-\/)/.test(path));

    expect(first).to.equal("/.json");
    expect(ofLibrary.slice(0, 3)).to.deep.equal([
      "/library.json",
      "/library/total.json",
      "/library/-/foreign-key-targets",
    ]);
    expect(ofLibrary.indexOf("/library/-/create")).to.be.greaterThan(
      ofLibrary.indexOf("/library/-/diagram.json"),
    );
    expect(paths["/library.json"]?.["get"]?.summary).to.equal(
      "What is in library; with sql, the result of the statement",
    );
  });
});

/** Routes without a description, by their name. All others with JSON are described. */
const NOT_DESCRIBED: Readonly<Record<string, string>> = {
  openapi: "the description itself",
  "openapi-database": "the same of a database",
  "import-facts": "what the script of the import page reads",
  "revoke-token": "a form of a page",
  "permissions-test": "a form of a page",
  undo: "a form of a page",
  tokens: "a page: what it lists is for the person who made the tokens",
  groups: "the path of the rows of a table: its arguments are among theirs",
  "upsert-stream": "the same endpoint as insert, with another type of body",
};
const FORM = /-submit$|^choose-/;

describe("The description of the API", () => {
  it("has each route with JSON of the bundled plugins", async () => {
    const { rowhouse, get } = await rowhouseFor({
      sql: "create table books (id integer primary key, title text); insert into books values (1, 'Emma');",
      options: { internal: join(temporaryFolder(), "internal.db") },
      metadata: {
        databases: {
          library: {
            queries: { read: "select 1", change: { sql: "update books set title = title", write: true } },
          },
        },
      },
    });
    const { json } = await get("/-/openapi.json", { as: "root" });
    const described = Object.entries((json as Document).paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const missing = rowhouse.routes
      .filter(({ name }) => NOT_DESCRIBED[name] === undefined && !FORM.test(name))
      .flatMap(({ name, path, method = "GET" }) =>
        typeof path === "string" && hasJson(path, method) ? [{ name, pattern: patternOf(path, method) }] : [],
      )
      .filter(({ pattern }) => !described.some((endpoint) => pattern.test(endpoint)))
      .map(({ name }) => name);

    expect(missing).to.deep.equal([]);
  });
});

const hasJson = (path: string, method: string): boolean =>
  method === "POST" || path.includes("{.:format}") || path.endsWith(".json");

/** `/:database/-/create` with POST fits `POST /library/-/create`. */
const patternOf = (path: string, method: string): RegExp =>
  new RegExp(
    `^${method} ${path
      .replaceAll("{.:format}", "\u0000")
      .replaceAll(".", "\\.")
      .replaceAll(/:\w+/g, "[^/]+?")
      .replaceAll("\u0000", method === "GET" ? "\\.json" : "(?:\\.json)?")}$`,
  );
