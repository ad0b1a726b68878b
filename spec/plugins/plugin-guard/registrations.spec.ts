import { expect } from "chai";
import { definePlugin, reply, type Actor, type Database, type Plugin, type Reply } from "rowhouse/plugin-api";
import { nothingWanted, type Wants } from "rowhouse/plugin-api/http";
import { failure } from "../../harness/failures.js";
import { rowhouseFor } from "../../harness/index.js";

const chain = () => [["view-instance", null]];
const route = (members: object) => ({
  name: "odd",
  path: "/-/odd",
  target: "instance",
  view: () => reply.text("here"),
  ...members,
});

const withRoute = (name: string, members: object): Plugin =>
  definePlugin({ name, register_routes: () => route(members) } as unknown as Plugin);

const renderer = (members: object) => ({
  extension: "odd",
  wants: () => nothingWanted,
  render: () => reply.text("fine"),
  ...members,
});
const A_RENDERER =
  "a renderer with extension (letters, digits and _) and the functions wants and render, and redirect and canRender if any";
const A_COLUMN_TYPE =
  "a column type with name and description, and functions: checkConfig, render, transform and validate if any";
const A_CATALOGUE = "a catalogue with language and texts, an object of texts or plurals by key";

const answered = (members: string, expected: string): string =>
  `it answered an object with ${members}; it should be ${expected}`;

const startWith = (hook: string, registered: object) => {
  const plugin = { name: "weak", [hook]: () => registered } as unknown as Plugin;
  return rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] }, plugins: [definePlugin(plugin)] });
};

const MISTAKES: Readonly<Record<string, readonly (readonly [registered: object, message: string])[]>> = {
  register_routes: [
    [route({ permission: chain }), "the route odd has no member permission, did you mean permissions?"],
    [route({ require: chain }), "the route odd has no member require, did you mean requires?"],
    [route({ permissions: "view-instance" }), "permissions of the route odd should be a function"],
    [route({ requires: null }), "requires of the route odd should be a function"],
    [route({ requires: chain, verify: "x" }), "verify of the route odd should be a function"],
    [route({ when: true }), "when of the route odd should be a function"],
    [
      route({ permissions: chain, verify: () => undefined }),
      "verify of the route odd has no effect without requires",
    ],
  ],
  register_output_renderer: [
    [renderer({ canRender: true }), answered("extension, wants, render, canRender", A_RENDERER)],
    [renderer({ redirect: "/" }), answered("extension, wants, render, redirect", A_RENDERER)],
  ],
  register_column_types: [
    [
      { name: "odd", description: "Odd", validate: "x" },
      answered("name, description, validate", A_COLUMN_TYPE),
    ],
  ],
  register_texts: [
    [{ language: "de" }, answered("language", A_CATALOGUE)],
    [{ language: "de", texts: { home: 5 } }, answered("language, texts", A_CATALOGUE)],
    [{ language: "de", texts: { home: { one: "Haus" } } }, answered("language, texts", A_CATALOGUE)],
  ],
};

describe("what a plugin registers", () => {
  it("names the members that a database lacks, and its plugin", async () => {
    const engine = definePlugin({
      name: "weak",
      open_database: async (rowhouse, { location }) => {
        if (location.uri !== "weak:") return null;
        const inner = await rowhouse.hooks.open_database.promise(rowhouse, {
          location: { ...location, uri: "memory:" },
        });
        const lacking: Partial<Database> = new Proxy(inner as Database, {
          get: (target, name) =>
            name === "dialect" || name === "describe" ? undefined : (Reflect.get(target, name) as unknown),
        });
        await inner?.close();
        return lacking as Database;
      },
    });
    const { rowhouse } = await rowhouseFor({ plugins: [engine] });

    const { message } = await failure(rowhouse.addDatabase({ uri: "weak:", name: "weak", mutable: true }));

    expect(message).to.match(/^Plugin weak failed in open_database: /);
    expect(message).to.match(/Database\. Missing or of another type: dialect, describe$/);
  });

  for (const [hook, mistakes] of Object.entries(MISTAKES))
    for (const [registered, message] of mistakes)
      it(`stops the start: ${message}`, async () => {
        const { message: said } = await failure(startWith(hook, registered));

        expect(said).to.equal(`Plugin weak failed in ${hook}: ${message}`);
      });

  it("may be an instance of a class with private members", async () => {
    class Handler {
      readonly name = "mine";
      readonly #prefix = "mine_";
      createToken(id: string): string {
        return `${this.#prefix}${id}`;
      }
      verifyToken(token: string): Actor | null {
        return token.startsWith(this.#prefix) ? { id: token.slice(this.#prefix.length) } : null;
      }
    }
    class Odd {
      readonly #extension = "odd";
      get extension(): string {
        return this.#extension;
      }
      wants(): Wants {
        return nothingWanted;
      }
      render(): Reply {
        return reply.text(this.#extension);
      }
    }
    const plugin = definePlugin({
      name: "classes",
      register_token_handler: () => new Handler(),
      register_output_renderer: () => new Odd(),
    });
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] }, plugins: [plugin] });

    const token = await rowhouse.rowhouse.service("tokens").createToken("ann", {}, "mine");

    expect(token).to.equal("mine_ann");
    expect((await rowhouse.get("/-/actor.json", { token })).json.actor).to.deep.equal({
      id: "ann",
      token: "mine",
    });
    expect((await rowhouse.get("/library/books.odd")).text).to.equal("odd");
  });

  it("is named in a warning if an earlier plugin has the same route, but not if it is called for some requests", async () => {
    const plugins = [
      withRoute("first", {}),
      withRoute("second", {}),
      withRoute("other-method", { method: "POST" }),
      withRoute("sometimes", { when: () => false }),
    ];

    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, plugins });

    expect(rowhouse.logged).to.deep.equal([
      "warn: Plugin second: its route GET /-/odd is never called: the plugin first has the same route before it",
    ]);
  });

  it("may have members that only its own plugin reads", async () => {
    const rowhouse = await startWith("register_routes", route({ shelf: 5 }));

    expect((await rowhouse.get("/-/odd")).text).to.equal("here");
  });
});

/** Results of hooks and of registered functions, with the page that uses them and the start of the logged message. */
const ANSWERS: readonly (readonly [hook: string, result: object, path: string, message: string])[] = [
  [
    "register_routes",
    route({ permissions: () => [["view-instance"]] }),
    "/-/odd",
    "permissions of the route odd: it should be a list of pairs of an action and a resource",
  ],
  [
    "register_routes",
    route({ requires: () => [[undefined, null]] }),
    "/-/odd",
    "requires of the route odd: it should be a list of pairs of an action and a resource",
  ],
  [
    "register_output_renderer",
    renderer({ wants: () => ({ ...nothingWanted, rows: "cell" }) }),
    "/library/books.odd",
    "wants of odd: it should be an object with rows (arrays, objects, cells or none)",
  ],
  [
    "filters_from_request",
    { where: "id = 1" },
    "/library/books.json",
    "filters_from_request: it answered an object with where; it should be a filter with where, params",
  ],
  [
    "filters_from_request",
    { where: "id = 1", params: {}, description: {} },
    "/library/books",
    "filters_from_request: it answered an object with where, params, description; it should be a filter",
  ],
  [
    "filters_from_request",
    { where: "id = 1", params: {}, description: null, argument: "id" },
    "/library/books",
    "filters_from_request: it answered an object with where, params, description, argument; it should be a filter",
  ],
  [
    "extend_table",
    { total: 5 },
    "/library/books.json",
    "extend_table: it answered an object with total; it should be an object with data or context",
  ],
  [
    "extend_table",
    { data: 5 },
    "/library/books.json",
    "extend_table: it answered an object with data; it should be an object with data or context",
  ],
  [
    "locate_resource",
    { kind: "table" },
    "/library/books.json",
    "locate_resource: it answered an object with kind; it should be a target with its kind, of a table or row with",
  ],
  [
    "jump_items",
    { kind: "page", label: "Run me", href: "javascript:alert(1)" },
    "/-/jump.json",
    "jump_items: it answered an object with kind, label, href; it should be a place with kind, label and href, of this site",
  ],
];

describe("an invalid result of a plugin", () => {
  for (const [hook, result, path, message] of ANSWERS)
    it(`is logged with its name, and not used: ${message}`, async () => {
      const rowhouse = await startWith(hook, result);

      const { status, text } = await rowhouse.get(path);

      expect(status).to.equal(hook === "jump_items" ? 200 : 500);
      expect(text).not.to.include("Run me");
      expect(rowhouse.logged.join("\n")).to.include(`Plugin weak failed in ${message}`);
    });
});

describe("a hook function that is only for some permissions", () => {
  it("has a warning for a permission that no plugin registers, since it is never called", async () => {
    const plugin = definePlugin({
      name: "weak",
      permission_allowed: { only: { actions: ["drop-tabel", "drop-table"] }, run: () => false },
    });

    const { logged } = await rowhouseFor({ plugins: [plugin] });

    expect(logged.filter((line) => line.startsWith("warn: Plugin"))).to.deep.equal([
      "warn: Plugin weak: permission_allowed is only for the permission drop-tabel, which no plugin registers, did you mean drop-table?",
    ]);
  });
});

describe("a permission that is different from a registered one of the same name", () => {
  const flying = { name: "fly", abbr: null, description: null, takes_database: false, takes_resource: false };
  const pilots = (...defaults: boolean[]): Plugin[] =>
    defaults.map((allowed, index) =>
      definePlugin({
        name: `pilot-${index}`,
        register_permissions: () => ({ ...flying, default: allowed }),
      }),
    );

  it("stops the start, naming both plugins", async () => {
    expect((await failure(rowhouseFor({ plugins: pilots(true, false) }))).message).to.equal(
      "Duplicate permission name: fly (from pilot-0 and pilot-1)",
    );
  });

  it("stops the start, naming the plugin if the other permission is bundled", async () => {
    const plugin = {
      name: "weak",
      register_permissions: () => ({ ...flying, name: "insert-row", default: true }),
    };

    expect((await failure(rowhouseFor({ plugins: [plugin as unknown as Plugin] }))).message).to.equal(
      "Duplicate permission name: insert-row (from weak)",
    );
  });

  it("stops the start, naming both permissions if only their abbreviations are the same", async () => {
    const plugin = {
      name: "pilot",
      register_permissions: () => ({ ...flying, abbr: "at", default: false }),
    };

    expect((await failure(rowhouseFor({ plugins: [plugin] }))).message).to.equal(
      "Duplicate permission abbr: at (of fly and alter-table, from pilot)",
    );
  });
});
