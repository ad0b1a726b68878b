import { expect } from "chai";
import type { Route } from "playwright-core";
import { rowhouseFor } from "rowhouse/testing";
import { inBrowser } from "./session.js";

const SQL = `
  create table kinds (id integer primary key, name text);
  insert into kinds values (1, 'Novel'), (2, 'Play');
  create table books (id integer primary key, title text, kind integer references kinds(id), year integer);
  insert into books values (1, 'Emma', 1, 1815), (2, 'Hamlet', 2, 1603), (3, 'Persuasion', 1, 1817), (4, 'Othello', 2, 1604);
  create table diaries (id integer primary key, text text);
`;
const METADATA = { databases: { library: { tables: { diaries: { allow: { id: "root" } } } } } };
const root = { id: "root" };

describe("a person in a browser", () => {
  // Said first, so that it is looked at before the session forgets.
  afterEach(() => expect(session.complaints).to.deep.equal([]));
  const session = inBrowser({ sql: SQL, metadata: METADATA });

  it("finds a row by filter and facet", async () => {
    const page = await session.open("/");

    await page.click("text=books");
    await page.click(".filter-menu > summary");
    await page.selectOption("select[name=_filter_column]", "year");
    await page.selectOption("select[name=_filter_op]", "gt");
    await page.fill("input[name=_filter_value]", "1603");
    await page.click("text=Apply");
    await page.waitForURL(/year__gt=1603/);
    await page.locator("th.col-kind summary").click();
    await page.click("text=Facet by this");
    await page.waitForURL(/_facet=kind/);
    await page.click(".facet >> text=Novel");
    await page.waitForURL(/kind=1/);
    await page.click("td.type-pk >> text=3");
    await page.waitForURL((url) => url.pathname.endsWith("3"));

    expect(new URL(page.url()).pathname).to.equal("/library/books/3");
    expect(await page.locator("td.col-title").textContent()).to.equal("Persuasion");
    expect(await page.locator("td.col-kind a").textContent()).to.equal("Novel");
  });

  it("creates a restricted token and uses it elsewhere", async () => {
    const page = await session.open("/-/create-token", { as: root });

    await page.selectOption("select[name=expire_type]", "hours");
    await page.fill("input[name=expire_duration]", "1");
    await page.click("text=Restrict actions");
    for (const action of ["view-instance", "view-database", "view-table"]) {
      await page.check(`input[name="all:${action}"]`);
    }
    await page.click("button >> text=Create token");
    const token = await page.inputValue("#token");

    expect((await session.rowhouse.get("/library/diaries.json", { token })).status).to.equal(200);
    expect((await session.rowhouse.get("/library.json?sql=select+1", { token })).status).to.equal(403);
  });

  it("copies a token where pages have no clipboard object, because they are not sent over HTTPS", async () => {
    const page = await session.page({ as: root });
    await page.addInitScript("delete Navigator.prototype.clipboard");
    await page.goto(`${session.rowhouse.origin}/-/create-token`);
    await page.click("button >> text=Create token");
    await page.click("button[data-copy]");
    await page.locator("button[data-copy]", { hasText: "Copied" }).waitFor();
    expect(session.complaints).to.deep.equal([]);
  });

  it("picks a table for a token, and then its actions", async () => {
    const page = await session.open("/-/create-token", { as: root });

    await page.click("text=Restrict actions");
    const shown = page.locator("input[type=checkbox]:visible");
    const before = await shown.count();
    await page.fill("#token-place", "library/diaries");
    await page.keyboard.press("Enter");
    await page.check('input[name="resource:library:diaries:view-table"]');
    await page.click("button >> text=Create token");
    const payload = await page.locator("main details pre").first().textContent();

    expect(before).to.be.below(30);
    expect(JSON.parse(payload ?? "{}")["_r"]).to.deep.equal({ r: { library: { diaries: ["vt"] } } });
  });

  it("is refused and sees why", async () => {
    const page = await session.open("/library/diaries");

    expect(await page.locator("h1").textContent()).to.equal("Forbidden");
    expect(await page.locator(".message-error").textContent()).to.include("permission");
    await page.click("main >> text=start page");
    await page.waitForURL((url) => url.pathname === "/");
    expect(await page.locator("text=books").count()).to.be.greaterThan(0);
    expect(await page.locator("text=diaries").count()).to.equal(0);
  });

  it("jumps to a table with three keys", async () => {
    const page = await session.open("/");

    await page.keyboard.press("/");
    await page.keyboard.type("book");
    await page.waitForSelector('.jump-dialog [aria-selected="true"] >> text=books');
    await page.keyboard.press("Enter");
    await page.waitForURL("**/library/books");

    expect(await page.locator("h1").textContent()).to.equal("books");
  });

  it("gets nowhere by a slash typed into a field", async () => {
    const page = await session.open("/library/books");

    await page.click(".filter-menu > summary");
    await page.focus("input[name=_filter_value]");
    await page.keyboard.type("1/2");

    expect(await page.inputValue("input[name=_filter_value]")).to.equal("1/2");
    expect(await page.locator("dialog[open]").count()).to.equal(0);
  });

  it("jumps without scripting too", async () => {
    const page = await session.open("/", { scripting: false });

    await page.click(".jump-button");
    await page.fill("input[name=q]", "kind");
    await page.click("button >> text=Find");
    await page.waitForURL(/q=kind/);
    await page.click(".jump-list a");
    await page.waitForURL((url) => !url.pathname.endsWith("jump"));

    expect(new URL(page.url()).pathname).to.equal("/library/kinds");
  });

  it("writes through the API explorer, and sees what went wrong", async () => {
    const page = await session.open("/-/api", { as: root });

    await page.locator(".api-table", { hasText: "kinds" }).getByText("Insert rows").click();
    await page.fill("textarea[name=json]", '{"rows": [{"name": "Poem"}], "return": true}');
    await page.click("button >> text=POST");
    await page.waitForSelector(".status-good");
    const answer = await page.locator(".api-answer pre").textContent();
    await page.fill("textarea[name=json]", '{"rows": [{"nothing": 1}]}');
    await page.click("button >> text=POST");
    await page.waitForSelector(".status-bad");

    expect(JSON.parse(answer ?? "")).to.deep.equal({ ok: true, rows: [{ id: 3, name: "Poem" }] });
    expect(await page.locator(".api-answer li").textContent()).to.include("nothing");
    expect(page.url()).to.include("method=POST");
  });

  it("sees the answer to the last request of the explorer, also if an earlier one arrives later", async () => {
    const page = await session.open("/-/api");
    const held: Route[] = [];
    await page.route("**/library.json", (route) => void held.push(route));
    const path = page.locator("form[data-api=GET] [name=path]");
    for (const asked of ["/library.json", "/library/books/1.json"]) {
      await path.fill(asked);
      await path.press("Enter");
    }
    const answer = page.locator(".api-answer pre", { hasText: "Emma" });
    await answer.waitFor();
    await held[0]?.continue();
    await page.waitForResponse("**/library.json").then((response) => response.finished());
    await page.waitForTimeout(200);
    expect(await answer.count()).to.equal(1);
  });

  it("keeps what the explorer asked in the address", async () => {
    const page = await session.open("/-/api#method=GET&path=%2Flibrary%2Fbooks%2F1.json");

    await page.waitForSelector(".api-answer .json-key");

    expect(await page.inputValue("#api-get-path")).to.equal("/library/books/1.json");
    expect(await page.locator(".api-answer pre").textContent()).to.include('"Emma"');
  });

  it("is back at the entry of a menu after closing the dialog that it opened, and then at the menu", async () => {
    const page = await session.open("/library/books", { as: root });
    await page.locator("table.is-editable").waitFor();
    await page.locator("summary", { hasText: "Actions" }).press("Enter");
    await page.locator("[data-paste-rows]").press("Enter");
    await page.locator("dialog[open]").waitFor();
    const focused = (): Promise<string> => page.evaluate("document.activeElement.textContent.trim()");
    await page.keyboard.press("Escape");
    expect(await focused()).to.equal("Paste rows");
    await page.keyboard.press("Escape");
    expect(await focused()).to.equal("Actions");
  });

  it("opens a long text in its cell", async () => {
    const long = await rowhouseFor({ tables: { notes: [{ id: 1, body: "words and words ".repeat(100) }] } });
    const page = await session.page();
    await page.goto(`${long.origin}/library/notes`);
    const height = async (): Promise<number> => (await page.locator(".long").boundingBox())?.height ?? 0;

    const folded = await height();
    await page.locator(".long").focus();

    expect(await height()).to.be.greaterThan(folded * 1.5);
  });

  it("sees nothing shift while a page loads", async () => {
    const page = await session.page({ as: root });
    await page.addInitScript(
      "globalThis.shifts = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) " +
        "globalThis.shifts += entry.value; }).observe({ type: 'layout-shift', buffered: true });",
    );
    const shifts: Record<string, number> = {};
    for (const path of ["/", "/library", "/library/books?_facet=kind", "/library/books/1", "/-/api"]) {
      await page.goto(session.rowhouse.origin + path, { waitUntil: "load" });
      shifts[path] = Number(await page.evaluate("globalThis.shifts"));
    }

    expect(
      Object.values(shifts).every((shift) => shift < 0.02),
      JSON.stringify(shifts),
    ).to.equal(true);
  });
});
