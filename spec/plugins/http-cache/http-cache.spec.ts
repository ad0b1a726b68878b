import { expect } from "chai";
import type { Plugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";

const tables = { books: [{ id: 1, title: "Emma" }] };
const PATH = "/library/books.json?_nosuggest=1";

const tagOf = async (rowhouse: TestRowhouse, path = PATH): Promise<string | undefined> =>
  (await rowhouse.get(path)).headers.etag;

const revalidate = (rowhouse: TestRowhouse, etag: string | undefined, options = {}) =>
  rowhouse.get(PATH, { headers: { "if-none-match": String(etag) }, ...options });

describe("Cache-Control", () => {
  const cases = [
    [PATH, "max-age=5"],
    [`${PATH}&_ttl=60`, "max-age=60"],
    [`${PATH}&_ttl=0`, "no-cache"],
    [`${PATH}&_ttl=soon`, "max-age=5"],
    ["/library.json", "max-age=5"],
    ["/library/books/1.json", "max-age=5"],
    ["/library.json?sql=select+1", "max-age=5"],
    ["/.json", undefined],
    ["/library/books.csv", undefined],
    ["/library/nope.json", undefined],
  ] as const;
  for (const [path, value] of cases) {
    it(`of ${path} is ${value ?? "absent"}`, async () => {
      const reply = await (await rowhouseFor({ tables })).get(path);

      expect(reply.headers["cache-control"]).to.equal(value);
    });
  }

  it("comes with Referrer-Policy, which error documents do not have", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const policyOf = async (path: string) => (await rowhouse.get(path)).headers["referrer-policy"];

    expect(await policyOf(PATH)).to.equal("no-referrer");
    // A reply of the view itself.
    expect(await policyOf("/library.json?sql=select+wrong")).to.equal("no-referrer");
    for (const path of ["/library/books/9.json", "/library/books.json?_size=x", "/library/books?_size=x"])
      expect(await policyOf(path), path).to.equal(undefined);
  });

  it("never lets a shared cache keep what a signed-in visitor sees", async () => {
    const reply = await (await rowhouseFor({ tables })).get(PATH, { as: "ann" });

    expect(reply.headers["cache-control"]).to.equal("private, max-age=5");
    expect(reply.headers.vary).to.match(/cookie/i);
  });

  it("is private in all replies to signed-in visitors that have no other", async () => {
    const rowhouse = await rowhouseFor({ tables });
    for (const path of [
      "/.json",
      "/library/books.csv",
      "/-/actor.json",
      "/-/openapi.json",
      "/-/audit.json",
    ]) {
      const { headers } = await rowhouse.get(path, { as: "root" });

      expect([path, headers["cache-control"]]).to.deep.equal([path, "private"]);
    }
    expect((await rowhouse.get("/-/create-token", { as: "root" })).headers["cache-control"]).to.match(
      /no-store/,
    );
  });

  it("is absent while developing", async () => {
    const reply = await (await rowhouseFor({ tables, options: { reload: true } })).get(PATH);

    expect(reply.headers["cache-control"]).to.equal(undefined);
  });
});

describe("If-None-Match", () => {
  it("is answered with 304 as long as nothing changed", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const etag = await tagOf(rowhouse);

    const reply = await revalidate(rowhouse, `"x", ${etag}`);

    expect(reply.status).to.equal(304);
    expect(reply.text).to.equal("");
    expect(reply.headers.etag).to.equal(etag);
    expect(reply.headers["cache-control"]).to.equal("max-age=5");
  });

  it("is answered in full once the data changed", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const etag = await tagOf(rowhouse);
    await rowhouse.rowhouse.database("library").write(async (transaction) => {
      await transaction.run("update books set title = 'Persuasion'");
    });

    const reply = await revalidate(rowhouse, etag);

    expect(reply.status).to.equal(200);
    expect(reply.json.rows).to.deep.equal([[1, "Persuasion"]]);
  });

  it("of one actor does not match for another", async () => {
    const rowhouse = await rowhouseFor({ tables });

    const reply = await revalidate(rowhouse, await tagOf(rowhouse), {
      as: "ann",
    });

    expect(reply.status).to.equal(200);
  });

  it("* is ignored", async () => {
    expect((await revalidate(await rowhouseFor({ tables }), "*")).status).to.equal(200);
  });

  const unsteady = [
    "select random()",
    "select datetime('now')",
    "select date()",
    "select current_timestamp",
    "select strftime('%Y, %H:%M')",
    "select strftime( '(%s)' )",
    "select date(:day)&day=now",
    "select unixepoch('subsec')",
  ];
  for (const sql of unsteady) {
    it(`is never promised for ${sql}`, async () => {
      const rowhouse = await rowhouseFor({ tables });

      expect(await tagOf(rowhouse, `/library.json?sql=${sql.replaceAll(" ", "+")}`)).to.equal(undefined);
    });
  }

  it("is never promised for a database in memory, whose SQL can read others", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] }, options: { crossdb: true } });
    await rowhouse.rowhouse.addDatabase({
      uri: "memory:",
      name: "_memory",
      mutable: true,
      attach: [{ name: "library", path: rowhouse.file() }],
    });

    const { status, headers } = await rowhouse.get("/_memory.json?sql=select+*+from+library.books");

    expect([status, headers.etag]).to.deep.equal([200, undefined]);
  });

  it("is never promised for documents of the instance", async () => {
    const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1 }] } });

    for (const path of ["/-/actor.json", "/-/databases.json", "/-/versions.json"]) {
      const { status, headers } = await rowhouse.get(path);
      expect([path, status, headers.etag]).to.deep.equal([path, 200, undefined]);
    }
  });

  it("is never promised for a view that asks for the time", async () => {
    const rowhouse = await rowhouseFor({
      tables,
      views: {
        now: "select date('now') as day",
        today: "select day from now",
        titles: "select title from books",
      },
    });

    expect(await tagOf(rowhouse, "/library/today.json")).to.equal(undefined);
    expect(await tagOf(rowhouse, '/library.json?sql=select+*+from+"Today"')).to.equal(undefined);
    expect(await tagOf(rowhouse, PATH)).to.be.a("string");
    expect(await tagOf(rowhouse, "/library/titles.json")).to.be.a("string");
    expect(await tagOf(rowhouse, "/library.json?sql=select+title+from+titles")).to.be.a("string");
  });
});

describe("The entity tag of a page to which an installed plugin contributes", () => {
  const HTML = "/library/books";
  const tagsWith = async (plugin: Partial<Plugin>): Promise<Readonly<Record<string, boolean>>> => {
    const rowhouse = await rowhouseFor({ tables, plugins: [{ name: "weather", ...plugin }] });
    const tags = await Promise.all([tagOf(rowhouse), tagOf(rowhouse, HTML)]);
    return { json: tags[0] !== undefined, html: tags[1] !== undefined };
  };
  const decorations: readonly (readonly [string, Partial<Plugin>])[] = [
    ["table_actions", { table_actions: () => [] }],
    ["render_cell", { render_cell: () => null }],
    ["extra_js_urls", { extra_js_urls: () => [] }],
    ["prepare_template_environment", { prepare_template_environment: () => undefined }],
  ];
  for (const [hook, plugin] of decorations) {
    it(`is missing from HTML and remains on JSON, since ${hook} affects only HTML`, async () => {
      expect(await tagsWith(plugin)).to.deep.equal({ json: true, html: false });
    });
  }

  const contributions: readonly (readonly [string, Partial<Plugin>])[] = [
    ["extend_table", { extend_table: () => [] }],
    ["finish_reply", { finish_reply: () => null }],
    ["before_view", { before_view: () => null }],
    ["a hook that says nothing", { hooks: { forecast: "collect" }, forecast: () => [] } as object],
  ];
  for (const [hook, plugin] of contributions) {
    it(`is missing, since ${hook} affects data`, async () => {
      expect(await tagsWith(plugin)).to.deep.equal({ json: false, html: false });
    });

    it(`remains if the plugin with ${hook} declares that it is deterministic`, async () => {
      expect(await tagsWith({ ...plugin, deterministic: true })).to.deep.equal({ json: true, html: true });
    });
  }

  it("remains with a hook that affects nothing, in a plugin or one of the kernel", async () => {
    const hooks = { umbrella: { kind: "collect", affects: "nothing" } };

    expect(await tagsWith({ hooks, umbrella: () => [], startup: () => undefined } as object)).to.deep.equal({
      json: true,
      html: true,
    });
  });

  it("is missing if a function was tapped with the methods of the hook, without being named as one", async () => {
    const plugin: Partial<Plugin> = {
      apply: ({ hooks }) => hooks.finish_reply.tap("weather", (value) => value),
    };

    expect(await tagsWith(plugin)).to.deep.equal({ json: false, html: false });
  });

  it("remains with a hook whose plugin is switched off, since it is never called", async () => {
    const rowhouse = await rowhouseFor({
      tables,
      without: ["facets"],
      plugins: [{ name: "weather", register_facet_classes: () => [] }],
    });

    expect(await tagOf(rowhouse)).to.be.a("string");
  });
});
