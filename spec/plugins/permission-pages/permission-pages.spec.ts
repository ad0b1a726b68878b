import { expect } from "chai";
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
    expect(refused.text).to.contain("Permission denied");
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
