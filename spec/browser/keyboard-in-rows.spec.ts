import { expect } from "chai";
import type { Page } from "playwright-core";
import { inBrowser } from "./session.js";

const SQL = `
  create table genres (id integer primary key, name text);
  insert into genres values (1, 'Novel'), (2, 'Play');
  create table books (id integer primary key, title text, home text, genre integer references genres(id));
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 50)
    insert into books select i, 'Book ' || i, 'https://example.org/' || i, i % 2 + 1 from n;
  create table kinds (
    id integer primary key, plain text, large integer, price real, none text, blank text, home text,
    genre integer references genres(id), at text
  );
  insert into kinds values
    (7, ' two  words', 9007199254740993, 1.5, null, '', 'https://example.org/' || printf('%.*c', 300, 'x') || '?a=1&b', 2,
      '2026-01-31T12:00:00Z'),
    (8, 'x', 1, 1.25, 'x', 'x', 'x', 1, '2026-01-31T12:00:00Z');
`;

/** What has the focus after each key, up to the first thing outside of the rows: `td: text`. */
async function stopsInRows(page: Page, key: string): Promise<readonly string[]> {
  const stops: string[] = [];
  for (;;) {
    await page.keyboard.press(key);
    const stop = await page.evaluate(`(() => {
      const { activeElement } = document;
      const name = activeElement.getAttribute("aria-label") ?? activeElement.textContent.trim();
      return activeElement.closest(".rows-and-columns") === null ? null : activeElement.localName + ": " + name;
    })()`);
    if (stop === null || stops.length > 60) return stops;
    stops.push(String(stop));
  }
}

describe("the rows of a table by keyboard", () => {
  const session = inBrowser({ sql: SQL });
  afterEach(() => expect(session.complaints).to.deep.equal([]));

  it("are left by the tab key after the cell with the focus and what is in it", async () => {
    const page = await session.open("/library/books");
    await page.locator("tbody td.type-pk > a", { hasText: /^1$/ }).focus();

    expect(await stopsInRows(page, "Tab")).to.deep.equal(["button: Row 1"]);
    expect(await stopsInRows(page, "Shift+Tab")).to.deep.equal(["button: Row 1", "a: 1"]);
  });

  it("let the tab key reach the links of a cell, and the menu and the width of a column", async () => {
    const page = await session.open("/library/books");
    await page.locator("[role=separator]").first().waitFor();
    await page.locator("tbody td.col-title").nth(1).click();
    await page.keyboard.press("ArrowRight");
    expect(await stopsInRows(page, "Tab")).to.deep.equal(["a: https://example.org/2"]);

    await page.locator("tbody td.col-title").first().click();
    await page.keyboard.press("ArrowUp");
    expect(await stopsInRows(page, "Tab")).to.deep.equal(["summary: Column title", "span: Width of title"]);
  });

  it("keep one stop when they are read again", async () => {
    const page = await session.open("/library/books", { as: { id: "root" } });
    await page.locator(".is-editable").waitFor();
    await page.locator("tbody td.col-title").nth(1).click();
    await page.keyboard.press("Enter");
    await page.locator(".is-edited input").fill("Emma");
    await page.keyboard.press("Enter");
    await page.locator("td.col-title", { hasText: "Emma" }).waitFor();
    await page.locator(".is-edited input").waitFor({ state: "detached" });

    expect(await page.evaluate("document.activeElement.textContent")).to.equal("Emma");
    expect(await stopsInRows(page, "Tab")).to.deep.equal([]);
    expect(await stopsInRows(page, "Shift+Tab")).to.deep.equal(["td: Emma"]);
  });

  it("are copied as their values are stored, by the cell with the focus", async () => {
    const page = await session.open("/library/kinds?_sort=id", { timezone: "Europe/Berlin" });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator("tbody td.type-pk > a").first().focus();
    const copied: unknown[] = [];
    for (let column = 0; column < 9; column += 1) {
      await page.evaluate("navigator.clipboard.writeText('as before')");
      await page.keyboard.press("Control+c");
      copied.push(await page.evaluate("navigator.clipboard.readText()"));
      await page.keyboard.press("ArrowRight");
    }
    const home = `https://example.org/${"x".repeat(300)}?a=1&b`;

    expect(copied).to.deep.equal([
      "7",
      " two  words",
      "9007199254740993",
      "1.5",
      "",
      "",
      home,
      "2",
      "2026-01-31T12:00:00Z",
    ]);
  });

  it("are copied as they are selected", async () => {
    const page = await session.open("/library/books?_size=2");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator("tbody td.col-title").first().click();
    await page.evaluate(`getSelection().setBaseAndExtent(
      document.querySelector("td.col-title").firstChild, 0, document.querySelector("td.col-title").firstChild, 4)`);
    await page.keyboard.press("Control+c");

    expect(await page.evaluate("navigator.clipboard.readText()")).to.equal("Book");
  });

  it("have a stop at each link without scripts", async () => {
    const page = await session.open("/library/books?_size=2", { scripting: false });
    await page.locator("tbody td.type-pk > a").first().focus();
    const links = await page.locator("tbody a").count();

    expect(links).to.equal(6);
    expect(await page.locator("tbody [tabindex='-1']").count()).to.equal(0);
  });
});
