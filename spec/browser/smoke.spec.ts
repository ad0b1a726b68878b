import axe from "axe-core";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import type { TestRowhouse } from "rowhouse/testing";
import { rowhouseFor } from "rowhouse/testing";
import { chromiumPath, launchChromium } from "./chromium.js";

const SQL = `
  create table kinds (id integer primary key, name text);
  insert into kinds values (1, 'Novel'), (2, 'Play');
  create table books (id integer primary key, title text, kind integer references kinds(id), year integer);
  insert into books values (1, 'Emma', 1, 1815), (2, 'Hamlet', 2, 1603), (3, 'Persuasion', 1, 1817), (4, null, null, null);
`;
const PATHS = [
  "/",
  "/library",
  "/library/books?_facet=kind",
  "/library/books/1",
  "/library?sql=select+1",
  "/-/patterns",
  "/nothing",
];
const isRequired = process.env["ROWHOUSE_REQUIRE_BROWSER"] === "1";

describe("in a browser", () => {
  let rowhouse: TestRowhouse;
  let browser: Browser | undefined;
  let complaints: string[];

  before(async function () {
    if (chromiumPath() === null && !isRequired) {
      process.stderr.write("No Chromium here: the specs of the browser are skipped.\n");
      this.skip();
    }
    rowhouse = await rowhouseFor({ sql: SQL });
    browser = await launchChromium();
  });
  after(() => browser?.close());
  beforeEach(() => (complaints = []));
  afterEach(() => Promise.all(browser?.contexts().map((context) => context.close()) ?? []));

  const open = async (
    path: string,
    options: { readonly width?: number; readonly scripting?: boolean } = {},
  ) => {
    const { width = 1280, scripting = true } = options;
    if (browser === undefined) throw new Error("The browser was not started");
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      javaScriptEnabled: scripting,
      // Only so that the checker can be put into the page; violations of the policy still show in the other specs.
      bypassCSP: path.includes("#axe"),
    });
    const page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      const isMissingPage = message.text().includes("404");
      if (message.type() === "error" && !isMissingPage) complaints.push(message.text());
    });
    await page.goto(rowhouse.origin + path);
    return page;
  };

  for (const path of PATHS) {
    it(`${path} has no errors, asks nobody else, and fits a phone`, async () => {
      const page = await open(path, { width: 390 });

      const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");

      expect(complaints).to.deep.equal([]);
      expect(overflow).to.be.at.most(0);
    });

    it(`${path} is accessible`, async () => {
      const page = await open(`${path}#axe`);

      expect(await violations(page)).to.deep.equal([]);
    });
  }

  it("filters rows without scripting", async () => {
    const page = await open("/library/books", { scripting: false });

    await page.selectOption("select[name=_filter_column]", "title");
    await page.selectOption("select[name=_filter_op]", "contains");
    await page.fill("input[name=_filter_value]", "a");
    await page.click("text=Apply");

    expect(new URL(page.url()).search).to.equal("?title__contains=a");
    expect(await page.locator("tbody tr").count()).to.equal(3);
  });

  it("clears a filter by its ✖", async () => {
    const page = await open("/library/books?title__contains=a");

    await page.click("[data-clear-filter]");
    await page.waitForURL((url) => url.search === "");

    expect(await page.locator("tbody tr").count()).to.equal(4);
  });

  it("has a menu on each column that can be used from the keyboard", async () => {
    const page = await open("/library/books");

    await page.locator("th.col-title summary").press("Enter");
    const entries = await page.locator("th.col-title .menu-panel a").allTextContents();
    await page.locator("th.col-title .menu-panel a", { hasText: "Sort descending" }).press("Enter");
    await page.waitForURL(/_sort_desc=title/);

    expect(entries).to.deep.equal([
      "Sort ascending",
      "Sort descending",
      "Facet by this",
      "Hide this column",
      "Show not-blank rows",
    ]);
    expect(await page.locator("tbody tr").first().textContent()).to.include("Persuasion");
  });

  it("closes menus on a click elsewhere and on Escape", async () => {
    const page = await open("/library/books");
    const menu = page.locator("th.col-title details");

    await menu.locator("summary").click();
    await page.click("h1");
    expect(await menu.getAttribute("open")).to.equal(null);
    await menu.locator("summary").click();
    await page.keyboard.press("Escape");
    expect(await menu.getAttribute("open")).to.equal(null);
  });
});

/** What axe finds wrong with a page, each as `rule: element`. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate("axe.run()");
  const { violations: rules } = found as { violations: { id: string; nodes: { html: string }[] }[] };
  return rules.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
