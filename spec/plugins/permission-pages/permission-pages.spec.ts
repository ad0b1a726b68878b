import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor } from "rowhouse/testing";
import { recordShifts, shiftsOf } from "../../browser/layout-shifts.js";
import { inBrowser } from "../../browser/session.js";

const tables = { docs: [{ id: 1 }] };
const metadata = { databases: { library: { tables: { docs: { allow: { id: "ann" } } } } } };

describe("/-/permissions", () => {
  it("is for those with permissions-debug", async () => {
    const rowhouse = await rowhouseFor({ tables });

    const refused = await rowhouse.get("/-/permissions", { as: "ann" });

    expect(refused.status).to.equal(403);
    expect(refused.text).to.contain("Permission denied: need permissions-debug");
    expect((await rowhouse.get("/-/permissions", { as: "root" })).status).to.equal(200);
  });

  it("distinguishes steps of a chain without an opinion from checks with a default", async () => {
    const rowhouse = await rowhouseFor({ tables });
    await rowhouse.get("/-/permissions");

    const { text } = await rowhouse.get("/-/permissions", { as: "root" });
    const shown = [...text.matchAll(/<strong>([a-z-]+)<\/strong>.*?<b class="verdict">(.*?)<\/b>(.*?)<br/gs)];

    const verdicts = shown.map(([, action, verdict, rest = ""]) => [
      action,
      verdict,
      rest.includes("default"),
    ]);
    expect(verdicts).to.deep.include(["view-instance", "none", true]);
    expect(verdicts).to.deep.include(["view-instance", "✓", true]);
    expect(verdicts).to.deep.include(["permissions-debug", "✗", true]);
    expect(verdicts[0]).to.deep.equal(["permissions-debug", "✓", false]);
  });

  const test = {
    actor: '{"id": "ann"}',
    permission: "insert-row",
    resource_1: "library",
    resource_2: "docs",
  };

  it("tries a permission out", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const result = async (form: Record<string, string>): Promise<unknown> =>
      (await rowhouse.post("/-/permissions", { as: "root", form: { ...test, ...form } })).json;

    expect(await result({})).to.deep.equal({
      actor: { id: "ann" },
      permission: "insert-row",
      resource: ["library", "docs"],
      result: "USE_DEFAULT",
    });
    expect(await result({ actor: '{"id": "root"}', resource_2: "" })).to.deep.equal({
      actor: { id: "root" },
      permission: "insert-row",
      resource: "library",
      result: true,
    });
    expect(
      await result({ actor: "null", permission: "view-instance", resource_1: "", resource_2: "" }),
    ).to.include({
      actor: null,
      result: "USE_DEFAULT",
    });
  });

  const wrong: readonly (readonly [title: string, form: Record<string, string>])[] = [
    ["an actor that is no JSON", { ...test, actor: "{" }],
    ["an actor that is a list", { ...test, actor: "[]" }],
    ["a missing field", { actor: "null", permission: "view-instance", resource_1: "" }],
    ["a database for an action that takes none", { ...test, permission: "view-instance" }],
    ["a table for an action that takes none", { ...test, permission: "execute-sql" }],
    ["a table without its database", { ...test, resource_1: "" }],
  ];
  for (const [title, form] of wrong) {
    it(`refuses ${title}`, async () => {
      const rowhouse = await rowhouseFor({ tables });

      const reply = await rowhouse.post("/-/permissions", { as: "root", form });

      expect(reply.status).to.equal(400);
      expect(reply.json).to.include({ ok: false, status: 400, title: null });
    });
  }
});

describe("/-/check", () => {
  const question = `actor=${encodeURIComponent('{"id": "bob"}')}&action=view-table&parent=library&child=docs`;

  it("explains a decision step by step", async () => {
    const rowhouse = await rowhouseFor({ tables, metadata });

    const { json } = await rowhouse.get(`/-/check.json?${question}`, { as: "root" });

    expect(json).to.include({ action: "view-table", allowed: false, used_default: false });
    expect(json.actor).to.deep.equal({ id: "bob" });
    expect(json.resource).to.deep.equal(["library", "docs"]);
    expect(json.opinions).to.have.length(1);
    expect(json.opinions[0]).to.include({ plugin: "permissions", allowed: false });
    expect(json.opinions[0].because).to.match(
      /^databases\.library\.tables\.docs\.allow in .+ does not match$/,
    );
    expect(json.page).to.include({ opens: false, settled_by: "view-table" });
    expect(json.page.steps.map((step: { action: string }) => step.action)).to.deep.equal([
      "view-table",
      "view-database",
      "view-instance",
    ]);
  });

  it("shows that a default decided", async () => {
    const rowhouse = await rowhouseFor({ tables });

    const { json } = await rowhouse.get(`/-/check.json?${question}`, { as: "root" });

    expect(json).to.include({ allowed: true, used_default: true });
    expect(json.opinions).to.deep.equal([]);
    expect(json.page).to.include({ opens: true, settled_by: null });
  });

  it("shows the same as a page", async () => {
    const rowhouse = await rowhouseFor({ tables, metadata });

    const { status, text } = await rowhouse.get(`/-/check?${question}`, { as: "root" });

    expect(status).to.equal(200);
    expect(text).to.contain("Result: deny");
    expect(text).to.contain("databases.library.tables.docs.allow");
    expect(text).to.contain("<strong>view-database</strong> on library:");
    expect(text).to.contain("<strong>view-instance</strong>:");
  });

  it("says that a database does not exist, for whose name it decides", async () => {
    const rowhouse = await rowhouseFor({ tables });
    const check = async (name: string) =>
      (await rowhouse.get(`/-/check?action=view-database&parent=${name}`, { as: "root" })).text;

    expect(await check("librari")).to.contain("There is no database librari.");
    expect(await check("library")).not.to.contain("There is no database");
  });

  it("is for those with permissions-debug, and needs an action", async () => {
    const rowhouse = await rowhouseFor({ tables });

    expect((await rowhouse.get(`/-/check.json?${question}`, { as: "ann" })).status).to.equal(403);
    expect((await rowhouse.get("/-/check.json", { as: "root" })).status).to.equal(400);
    expect((await rowhouse.get("/-/check", { as: "root" })).status).to.equal(200);
  });
});

describe("/-/actions.json", () => {
  it("lists the registered permissions", async () => {
    const rowhouse = await rowhouseFor({ tables });

    const { json } = await rowhouse.get("/-/actions.json", { as: "root" });

    expect(json[0]).to.deep.equal({
      name: "view-instance",
      abbr: "vi",
      description: "View Rowhouse instance",
      takes_database: false,
      takes_resource: false,
      default: true,
    });
    expect((await rowhouse.get("/-/actions.json")).status).to.equal(403);
  });

  it("completes the permissions of plugins", async () => {
    const fly = definePlugin({
      name: "fly",
      register_permissions: () => ({ name: "fly", default: false }) as never,
    });
    const rowhouse = await rowhouseFor({ tables, plugins: [fly] });

    const { json } = await rowhouse.get("/-/actions.json", { as: "root" });

    expect(json.find(({ name }: { name: string }) => name === "fly")).to.deep.equal({
      name: "fly",
      abbr: null,
      description: null,
      takes_database: false,
      takes_resource: false,
      default: false,
    });
  });
});

describe("/-/allowed.json", () => {
  const library = {
    sql: `create table books (id integer primary key); create table docs (id integer primary key);
      create view recent as select id from books;`,
    databases: { closed: "create table secret (id integer primary key)" },
    metadata: {
      databases: {
        library: {
          permissions: { "insert-row": { id: "ann" } },
          tables: { docs: { allow: { id: "ann" } } },
          queries: { all_books: "select id from books" },
        },
        closed: { allow: { id: "bob" }, permissions: { "insert-row": { id: "ann" } } },
      },
    },
  };
  const ann = encodeURIComponent('{"id": "ann"}');

  it("lists the resources that an actor may do something on, with reason and plugin", async () => {
    const rowhouse = await rowhouseFor(library);

    const { json } = await rowhouse.get(`/-/allowed.json?action=insert-row&actor=${ann}&parent=library`, {
      as: "root",
    });

    expect(json).to.deep.include({
      ok: true,
      action: "insert-row",
      actor_id: "ann",
      page: 1,
      page_size: 50,
      total: 3,
    });
    expect(json).not.to.have.any.keys("next_url", "previous_url");
    expect(json.items.map(({ child }: { child: string }) => child)).to.deep.equal([
      "books",
      "docs",
      "recent",
    ]);
    expect(json.items[0]).to.deep.include({
      parent: "library",
      child: "books",
      resource: "/library/books",
      source_plugin: "permissions",
    });
    expect(json.items[0].reason).to.have.length(1);
    expect(json.items[0].reason[0]).to.match(/^databases\.library\.permissions\.insert-row in .+ matches$/);
  });

  it("decides pages by their permission chain, and names the step or the default that decides", async () => {
    const rowhouse = await rowhouseFor(library);
    const allowed = async (argument: string) =>
      (await rowhouse.get(`/-/allowed.json?action=view-table&${argument}`, { as: "root" })).json.items;
    const bob = await allowed(`actor=${encodeURIComponent('{"id": "bob"}')}`);

    expect(bob.map(({ resource }: { resource: string }) => resource)).to.deep.equal([
      "/library/books",
      "/library/recent",
      "/closed/secret",
    ]);
    expect(bob[0]).to.deep.include({ reason: ["the default of view-table"], source_plugin: null });
    expect(bob[2].reason[0]).to.match(/^view-database: databases\.closed\.allow in .+ matches$/);
    expect(await allowed(`actor=${ann}&parent=library&child=docs`)).to.have.length(1);
    expect(await allowed(`actor=${ann}&parent=closed`)).to.deep.equal([]);
  });

  it("lists databases, queries or the instance, whichever the action is about", async () => {
    const rowhouse = await rowhouseFor(library);
    const resources = async (action: string) =>
      (await rowhouse.get(`/-/allowed.json?action=${action}`, { as: "root" })).json.items.map(
        ({ resource }: { resource: string }) => resource,
      );

    expect(await resources("execute-sql")).to.deep.equal(["/library", "/closed"]);
    expect(await resources("view-database")).to.deep.equal(["/library"]);
    expect(await resources("view-query")).to.deep.equal(["/library/all_books"]);
    expect(await resources("debug-menu")).to.deep.equal(["/"]);
  });

  it("has pages, each with the addresses of the next and previous one", async () => {
    const rowhouse = await rowhouseFor({ ...library, settings: { base_url: "/data/" } });
    const page = async (path: string) => (await rowhouse.get(path, { as: "root" })).json;
    const pages = [await page("/data/-/allowed.json?action=drop-table&parent=library&page_size=2")];
    pages.push(await page(pages[0].next_url));

    expect(pages.map(({ items }) => items.length)).to.deep.equal([2, 1]);
    expect(pages[0]).to.include({
      total: 3,
      next_url: "/data/-/allowed.json?action=drop-table&parent=library&page=2&page_size=2",
    });
    expect(pages[1]).to.include({
      page: 2,
      previous_url: "/data/-/allowed.json?action=drop-table&parent=library&page=1&page_size=2",
    });
    expect(pages[1]).not.to.have.property("next_url");
    expect(await page("/data/-/allowed.json?action=drop-table&page_size=1000")).to.include({
      page_size: 200,
    });
  });

  it("lists for clients without permissions-debug only what they may view and do, without reasons", async () => {
    const rowhouse = await rowhouseFor(library);
    const own = async (action: string, as?: string) =>
      (await rowhouse.get(`/-/allowed.json?action=${action}`, as === undefined ? {} : { as })).json;

    // Ann may insert into the table of the closed database, but may not know its name.
    expect(await own("insert-row", "ann")).to.deep.equal({
      ok: true,
      action: "insert-row",
      actor_id: "ann",
      page: 1,
      page_size: 50,
      total: 3,
      items: ["books", "docs", "recent"].map((child) => ({
        parent: "library",
        child,
        resource: `/library/${child}`,
      })),
    });
    expect(await own("view-table")).to.deep.include({ actor_id: null, total: 2 });
    expect(await own("view-database")).to.deep.include({ total: 1 });
    expect(await own("permissions-debug")).to.deep.include({ total: 0, items: [] });
    for (const path of [`/-/allowed.json?action=view-table&actor=${ann}`, "/-/allowed"]) {
      const { status, text } = await rowhouse.get(path, { as: "ann" });
      expect(status, path).to.equal(403);
      expect(text).to.contain("Permission denied: need permissions-debug");
    }
  });

  it("is closed with the instance", async () => {
    const rowhouse = await rowhouseFor({ ...library, metadata: { allow: { id: "ann" } } });

    expect((await rowhouse.get("/-/allowed.json?action=view-table")).status).to.equal(403);
  });

  for (const [status, argument] of [
    [400, ""],
    [404, "action=fly"],
    [400, "action=view-table&page=0"],
    [400, "action=view-table&page_size=many"],
    [400, "action=view-table&child=docs"],
    [400, "action=view-instance&parent=library"],
    [400, "action=view-table&actor={"],
  ] as const) {
    it(`answers ?${argument} with ${status}, as /-/rules.json does`, async () => {
      const rowhouse = await rowhouseFor(library);

      for (const name of ["allowed", "rules"]) {
        const { status: answered, json } = await rowhouse.get(`/-/${name}.json?${argument}`, { as: "root" });
        expect(answered).to.equal(status);
        expect(json).to.include({ ok: false, status });
      }
    });
  }

  it("is also a page with links to the resources, their checks and the rules", async () => {
    const rowhouse = await rowhouseFor(library);

    const { text } = await rowhouse.get(`/-/allowed?action=insert-row&actor=${ann}&page_size=1`, {
      as: "root",
    });

    expect(text).to.contain('href="/library/books"');
    expect(text).to.contain("databases.library.permissions.insert-row");
    expect(text).to.match(
      /href="\/-\/check\?actor=[^"]+&amp;action=insert-row&amp;parent=library&amp;child=books"/,
    );
    expect(text).to.match(/href="\/-\/rules\?actor=[^"]+&amp;action=insert-row"/);
    expect(text).to.match(/href="\/-\/allowed\?[^"]+&amp;page=2&amp;page_size=1" rel="next"/);
    expect((await rowhouse.get("/-/allowed", { as: "root" })).text).not.to.contain("<h2");
  });
});

/** What the rules of a document are about, and what they say. */
const placed = ({ items }: { items: readonly Record<string, unknown>[] }) =>
  items.map(({ parent, child, resource, allow, source_plugin }) => [
    parent,
    child,
    resource,
    allow,
    source_plugin,
  ]);

describe("/-/rules.json", () => {
  const sql = `create table books (id integer primary key); create table docs (id integer primary key);`;
  const rulesOf = async (options: Parameters<typeof rowhouseFor>[0], argument: string) => {
    const rowhouse = await rowhouseFor({ sql, ...options });
    const { json } = await rowhouse.get(`/-/rules.json?${argument}`, { as: "root" });
    return json;
  };

  it("lists the opinion of each plugin on each resource, with its reason", async () => {
    const denies = definePlugin({
      name: "denies",
      permission_allowed: (_rowhouse, { resource }) => (resource?.[1] === "docs" ? false : null),
    });

    const found = await rulesOf({ metadata, plugins: [denies] }, "action=view-table&actor=null");

    expect(found).to.deep.include({ ok: true, action: "view-table", actor_id: null, total: 2 });
    expect(placed(found)).to.deep.equal([
      ["library", "docs", "/library/docs", 0, "denies"],
      ["library", "docs", "/library/docs", 0, "permissions"],
    ]);
    expect(found.items[0].reason).to.equal(null);
    expect(found.items[1].reason).to.match(/^databases\.library\.tables\.docs\.allow in .+ does not match$/);
  });

  it("joins equal opinions on all tables of a database, and on those of all databases", async () => {
    const databases = { other: "create table notes (id integer primary key)" };
    const inLibrary = { databases: { library: { permissions: { "insert-row": { id: "ann" } } } } };

    expect(placed(await rulesOf({ metadata: inLibrary }, "action=insert-row&actor=null"))).to.deep.equal([
      ["library", null, "/library", 0, "permissions"],
    ]);
    const root = await rulesOf({ databases }, "action=insert-row");
    expect(placed(root)).to.deep.equal([[null, null, "/", 1, "permissions"]]);
    expect(root.items[0].reason).to.equal("the actor root may always insert-row");
    expect(placed(await rulesOf({ databases }, "action=create-table"))).to.deep.equal([
      [null, null, "/", 1, "permissions"],
    ]);
  });

  it("narrows to what applies to a database or table, and to a page", async () => {
    const rules = {
      databases: {
        library: {
          tables: { books: { allow: { id: "root" } }, docs: { allow: { id: "ann" } } },
        },
      },
    };
    const narrowed = async (argument: string) =>
      placed(await rulesOf({ metadata: rules }, `action=view-table&${argument}`)).map(([, child]) => child);

    expect(await narrowed("")).to.deep.equal(["books", "docs"]);
    expect(await narrowed("parent=library&child=docs")).to.deep.equal(["docs"]);
    expect(await narrowed("parent=other")).to.deep.equal([]);
    expect(await narrowed("page=2&page_size=1")).to.deep.equal(["docs"]);
  });

  it("is for those with permissions-debug, also as a page", async () => {
    const rowhouse = await rowhouseFor({ tables, metadata });

    for (const path of ["/-/rules.json?action=view-table", "/-/rules?action=view-table"])
      expect((await rowhouse.get(path, { as: "ann" })).status, path).to.equal(403);
    const { text } = await rowhouse.get("/-/rules?action=view-table&actor=null", { as: "root" });
    expect(text).to.contain("databases.library.tables.docs.allow");
    expect(text).to.contain(
      'href="/-/check?actor=null&amp;action=view-table&amp;parent=library&amp;child=docs"',
    );
    expect(text).to.contain('href="/-/rules?actor=null&amp;action=view-database"');
  });
});

describe("lists of decisions", () => {
  it("call each plugin once for all resources", async () => {
    const calls: number[] = [];
    const bulk = definePlugin({
      name: "bulk",
      permission_allowed_many: (_rowhouse, { action, resources }) => {
        if (action !== "drop-table") return null;
        calls.push(resources.length);
        return resources.map(() => ({ allowed: true, because: "all may" }));
      },
    });
    const many = Array.from({ length: 120 }, (_, index) => `create table t${index} (id);`).join("");
    const rowhouse = await rowhouseFor({ sql: many, plugins: [bulk] });
    const total = async (name: string, as: string) =>
      (await rowhouse.get(`/-/${name}.json?action=drop-table`, { as })).json.total;

    expect(await total("allowed", "root")).to.equal(120);
    expect(await total("allowed", "ann")).to.equal(120);
    expect(await total("rules", "root")).to.equal(2);
    expect(calls).to.deep.equal([120, 120, 120]);
  });
});

describe("/-/allow-debug", () => {
  const cases = [
    ["", "Result: allow"],
    ['?actor={"id":"x"}&allow={"id":"y"}', "Result: deny"],
    ["?actor=null&allow=true", "Result: allow"],
    ["?actor=[]&allow=true", "Result: deny"],
    [
      "?actor={&allow=true",
      "Actor JSON error: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
    ],
    ["?actor=null&allow=[1,", "Allow JSON error: Expecting value: line 1 column 4 (char 3)"],
    [`?actor=null&allow=${"[".repeat(21)}${"]".repeat(21)}`, "Allow JSON error: Nested too deeply"],
    [`?actor=${"[".repeat(5_000)}${"]".repeat(5_000)}`, "Actor JSON error: Nested too deeply"],
  ] as const;
  for (const [query, result] of cases) {
    it(`answers "${query.slice(0, 80)}" with ${result}`, async () => {
      const rowhouse = await rowhouseFor({});

      const { status, text } = await rowhouse.get(`/-/allow-debug${encodeURI(query)}`);

      expect(status).to.equal(200);
      expect(text).to.contain(result);
    });
  }
});

describe("an actor whose id is an object", () => {
  it("gets pages, with the id as a Python literal", async () => {
    const rowhouse = await rowhouseFor({});
    const as = { id: { toString: 1 } };

    expect((await rowhouse.get("/-/actor.json", { as })).json).to.deep.equal({ actor: as });
    expect((await rowhouse.get("/", { as })).text).to.contain("{&#39;toString&#39;: 1}");
  });
});

describe("the recent checks in a browser", () => {
  const session = inBrowser({});

  it("have their times in the zone of the reader", async () => {
    const page = await session.open("/-/permissions", { as: { id: "root" }, timezone: "Asia/Tokyo" });
    const time = page.locator("main time").first();

    expect(await time.textContent()).to.match(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);
    expect(await time.getAttribute("title")).to.match(/T.*Z$/);
  });

  it("have the fields that a permission takes, without moving anything while they load", async () => {
    const page = await session.page({ as: { id: "root" }, width: 390 });
    await recordShifts(page);
    await page.goto(`${session.rowhouse.origin}/-/permissions`);
    expect(await shiftsOf(page)).to.be.below(0.02);

    const plain = await session.open("/-/permissions", { as: { id: "root" }, scripting: false });
    const shown = async () => [
      await plain.locator("#question-parent").isVisible(),
      await plain.locator("#question-child").isVisible(),
    ];
    expect(await shown()).to.deep.equal([false, false]);
    await plain.selectOption("#question-action", "view-table");
    expect(await shown()).to.deep.equal([true, true]);
  });
});
