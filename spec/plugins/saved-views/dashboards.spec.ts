import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect } from "chai";
import type { Actor } from "rowhouse/plugin-api";
import { recordShifts, shiftsOf } from "../../browser/layout-shifts.js";
import { inBrowser, violations } from "../../browser/session.js";
import { rowhouseFor } from "../../harness/index.js";

const FOLDER = await mkdtemp(join(tmpdir(), "rowhouse-dashboards-"));
const CHART = { query: "year__gt=1800", fragment: "chart=bar&x=kind", private: false };

describe("dashboards", () => {
  const session = inBrowser({
    tables: {
      books: [
        { id: 1, kind: "novel", year: 1815 },
        { id: 2, kind: "play", year: 1603 },
        { id: 3, kind: "novel", year: 1900 },
      ],
      diaries: [{ id: 1, kind: "secret", year: 1900 }],
    },
    metadata: { databases: { library: { tables: { diaries: { allow: { id: "ann" } } } } } },
    options: { internal: join(FOLDER, "internal.db") },
  });
  after(() => rm(FOLDER, { recursive: true, force: true, maxRetries: 5 }));

  const saved = async (table: string, view: object): Promise<string> =>
    (await session.rowhouse.post(`/library/${table}/-/views`, { as: "ann", json: view })).json.view.id;
  const made = async (as: string, json: object): Promise<{ id: string; url: string }> =>
    (await session.rowhouse.post("/-/dashboards", { as, json })).json.dashboard;
  const viewsOf = async (id: string, as: string): Promise<readonly string[]> => {
    const { json } = await session.rowhouse.get(`/-/dashboards/${id}.json`, { as });
    return (json.views as { name: string }[]).map(({ name }) => name);
  };

  it("show their charts in order, and no view that the reader may not see", async () => {
    const kinds = await saved("books", { name: "Kinds", ...CHART });
    const own = await saved("books", { name: "Mine", ...CHART, private: true });
    const closed = await saved("diaries", { name: "Diaries", fragment: "chart=bar&x=kind", private: false });
    const { id } = await made("ann", { name: "All", private: false, views: [closed, kinds, own] });

    expect(await viewsOf(id, "ann")).to.deep.equal(["Diaries", "Kinds", "Mine"]);
    expect(await viewsOf(id, "ben")).to.deep.equal(["Kinds"]);
    const { text } = await session.rowhouse.get(`/-/dashboards/${id}`, { as: "ben" });
    expect(text).to.include("Kinds").and.not.include("diaries").and.not.include("Remove");
  });

  it("keep the views of a table that is renamed, which replace those of a former table of its name", async () => {
    const { rowhouse } = session;
    const write = (path: string, json: object) => rowhouse.post(`/library/${path}`, { as: "root", json });
    const columns = [{ name: "year", type: "integer" }];
    await write("-/create", { table: "journals", columns });
    const old = await saved("journals", { name: "Years", query: "year=1", private: false });
    await write("journals/-/drop", { confirm: true });
    await write("-/create", { table: "drafts", columns });
    const view = await saved("drafts", { name: "Years", query: "year=2", private: false });
    const { id } = await made("ann", { name: "Renamed", views: [old, view] });

    const operations = [{ op: "rename_table", args: { to: "journals" } }];
    const renamed = await write("drafts/-/alter", { operations });

    expect(renamed.status, renamed.text).to.equal(200);
    const { json } = await rowhouse.get(`/-/dashboards/${id}.json`, { as: "ann" });
    expect(json.views.map(({ url }: { url: string }) => url)).to.deep.equal([
      `${rowhouse.origin}/library/journals?year=2`,
    ]);
  });

  it("are changed and deleted by their owner alone, and private ones do not exist for others", async () => {
    const { id } = await made("ann", { name: "Private" });
    const { id: shared } = await made("ann", { name: "Shared", private: false });
    const { rowhouse } = session;
    const kinds = await saved("books", { name: "Kinds", ...CHART });
    const act = async (form: Record<string, string>) =>
      (await rowhouse.post(`/-/dashboards/${shared}`, { as: "ann", form })).status;

    expect((await rowhouse.get(`/-/dashboards/${id}.json`, { as: "ben" })).status).to.equal(404);
    expect((await rowhouse.post(`/-/dashboards/${id}/delete`, { as: "ben", json: {} })).status).to.equal(404);
    expect((await rowhouse.post(`/-/dashboards/${shared}`, { as: "ben", json: {} })).status).to.equal(403);
    expect((await rowhouse.post("/-/dashboards", { json: { name: "x" } })).status).to.equal(403);
    const again = await rowhouse.post("/-/dashboards", { as: "ann", json: { name: "Shared" } });
    expect([again.status, again.json.error]).to.deep.equal([400, "You have a dashboard named Shared"]);
    expect((await rowhouse.post("/-/dashboards", { as: "ann", json: { nam: "x" } })).status).to.equal(400);
    const other = await saved("books", { name: "Other", ...CHART });
    for (const action of [`add:${kinds}`, `add:${other}`, `up:${other}`])
      expect(await act({ action })).to.equal(303);
    expect(await viewsOf(shared, "ann")).to.deep.equal(["Other", "Kinds"]);
    for (const action of [`down:${other}`, `remove:${kinds}`]) await act({ action });
    expect(await viewsOf(shared, "ann")).to.deep.equal(["Other"]);
    expect((await rowhouse.get("/-/jump.json?q=shared", { as: "ben" })).json.matches).to.deep.equal([
      { kind: "dashboard", label: "Shared", detail: null, href: `/-/dashboards/${shared}` },
    ]);
    expect((await rowhouse.post(`/-/dashboards/${shared}/delete`, { as: "ann", json: {} })).status).to.equal(
      200,
    );
    expect((await rowhouse.get(`/-/dashboards/${shared}`, { as: "ann" })).status).to.equal(404);
  });

  it("are deleted by root if they are shared, but not with a token without save-view", async () => {
    const { id } = await made("ann", { name: "For root", private: false });
    const remove = async (as: Actor) =>
      (await session.rowhouse.post(`/-/dashboards/${id}/delete`, { as, json: {} })).status;

    expect(await remove({ id: "root", token: "rhtok", _r: { a: ["vi"] } })).to.equal(403);
    expect(await remove({ id: "root", token: "rhtok", _r: { a: ["vi", "sv"] } })).to.equal(200);
  });

  it("stay as they are if a change is refused", async () => {
    const { rowhouse } = session;
    const views = Array.from({ length: 61 }, (_, place) => String(place));
    const kinds = await saved("books", { name: "Kinds", ...CHART });
    const refused = await rowhouse.post("/-/dashboards", { as: "cleo", json: { name: "Full", views } });
    const { dashboards } = (await rowhouse.get("/-/dashboards.json", { as: "cleo" })).json;

    expect(refused.status).to.equal(400);
    expect((dashboards as { name: string }[]).map(({ name }) => name)).not.to.include("Full");

    const { id } = await made("cleo", { name: "Before", views: [kinds] });
    const change = { as: "cleo", json: { name: "After", private: false, views } };
    expect((await rowhouse.post(`/-/dashboards/${id}`, change)).status).to.equal(400);
    const { dashboard } = (await rowhouse.get(`/-/dashboards/${id}.json`, { as: "cleo" })).json;
    expect(dashboard).to.include({ name: "Before", private: true });
    expect(await viewsOf(id, "cleo")).to.deep.equal(["Kinds"]);
  });

  it("are accessible, fit a phone and do not move while they load, as do saved views", async () => {
    const kinds = await saved("books", { name: "Kinds", ...CHART });
    const { id } = await made("ann", { name: "Still", private: false, views: [kinds] });
    const wrong: string[] = [];
    for (const [width, colorScheme] of [
      [1280, "light"],
      [390, "dark"],
    ] as const) {
      const page = await session.page({ as: { id: "ann" }, width, colorScheme, bypassPolicy: true });
      await recordShifts(page);
      for (const path of ["/-/dashboards", `/-/dashboards/${id}`, "/library/books/-/views"]) {
        await page.goto(session.rowhouse.origin + path);
        if (path.endsWith(id)) await page.locator(".saved-chart svg[role=img]").waitFor();
        const [shift, tooWide] = [
          await shiftsOf(page),
          Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth")),
        ];
        const found = await violations(page);
        if (shift > 0.02) found.push(`moves by ${shift}`);
        if (tooWide > 0) found.push(`is ${tooWide} pixels too wide`);
        wrong.push(...found.map((what) => `${path} at ${width}: ${what}`));
      }
    }
    expect(wrong).to.deep.equal([]);
  });

  it("are described by the OpenAPI document", async () => {
    const { json } = await session.rowhouse.get("/-/openapi.json", { as: "ann" });
    expect((await new Validator().validate(json)).errors).to.equal(undefined);
    expect(Object.keys(json.paths)).to.include.members([
      "/-/dashboards.json",
      "/-/dashboards",
      "/-/dashboards/{dashboard}.json",
      "/-/dashboards/{dashboard}/delete",
      "/library/books/-/views.json",
    ]);
    expect(json.components.schemas).to.include.keys("Dashboard", "SavedView");
    const { json: toVisitor } = await session.rowhouse.get("/-/openapi.json");
    expect(Object.keys(toVisitor.paths).filter((path) => path.startsWith("/-/dashboards"))).to.deep.equal([
      "/-/dashboards.json",
      "/-/dashboards/{dashboard}.json",
    ]);
  });

  it("do not show a view again that was removed, if a button of an old page moves it", async () => {
    const kinds = await saved("books", { name: "Kinds", ...CHART });
    const other = await saved("books", { name: "Other", ...CHART });
    const { id } = await made("ann", { name: "Old page", views: [kinds, other] });
    for (const action of [`remove:${other}`, `up:${other}`, `down:${other}`])
      await session.rowhouse.post(`/-/dashboards/${id}`, { as: "ann", form: { action } });
    expect(await viewsOf(id, "ann")).to.deep.equal(["Kinds"]);
  });

  it("keep all of the changes that arrive together", async () => {
    const names = ["One", "Two", "Three", "Four", "Five"];
    const views = await Promise.all(names.map((name) => saved("books", { name: `${name} more`, ...CHART })));
    const { id } = await made("ann", { name: "Before" });
    const act = (request: object) => session.rowhouse.post(`/-/dashboards/${id}`, { as: "ann", ...request });

    await Promise.all([
      ...views.slice(0, 2).map((view) => act({ form: { action: "add", view } })),
      act({ json: { name: "After" } }),
      act({ json: { private: false } }),
      ...views.slice(2).map((view) => act({ form: { action: "add", view } })),
    ]);

    const { json } = await session.rowhouse.get(`/-/dashboards/${id}.json`, { as: "ben" });
    expect(json.dashboard.name).to.equal("After");
    expect(json.views).to.have.length(names.length);
  });

  it("draw no other chart under the name of a view whose column is gone", async () => {
    const lost = await saved("books", { name: "By price", fragment: "chart=bar&x=price" });
    const { id } = await made("ann", { name: "Lost", views: [lost] });
    const page = await session.open(`/-/dashboards/${id}`, { as: { id: "ann" } });
    await page.locator(".chart-status", { hasText: "No chart: the column price" }).waitFor();
    expect(await page.locator(".chart-picture").count()).to.equal(0);
  });

  it("draw each chart by itself, and are links without scripts", async () => {
    const kinds = await saved("books", { name: "Kinds", ...CHART });
    const { id } = await made("ann", { name: "Drawn", private: false, views: [kinds] });
    const view = { as: { id: "ann" }, bypassPolicy: true } as const;
    const page = await session.open(`/-/dashboards/${id}`, view);
    await page
      .locator('.saved-chart svg[role=img][aria-label="bar chart of the number of rows by kind"]')
      .waitFor();
    expect(await page.getByText("Values", { exact: true }).count()).to.equal(1);
    await page.focus(".chart-picture");
    await page.keyboard.press("ArrowDown");
    await page.locator(".chart-value", { hasText: "novel: 2 (1 of 1)" }).waitFor();

    expect(await violations(page)).to.deep.equal([]);
    expect(session.complaints).to.deep.equal([]);
    const plain = await session.open(`/-/dashboards/${id}`, { as: { id: "ann" }, scripting: false });
    await plain.click("text=Groups");
    expect(await plain.locator("main td").allTextContents()).to.include.members(["novel", "2"]);
  });
});

describe("dashboards of a server without --internal", () => {
  it("can't exist, which their page says", async () => {
    const rowhouse = await rowhouseFor();

    const { status, json } = await rowhouse.get("/-/dashboards.json");

    expect([status, json.error]).to.deep.equal([
      404,
      "There are no dashboards: start the server with --internal to make some",
    ]);
  });
});
