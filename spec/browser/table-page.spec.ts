import { truncate } from "node:fs/promises";
import { expect } from "chai";
import { inBrowser } from "./session.js";

const tables = {
  books: [
    { id: 1, title: "Emma", year: 1815 },
    { id: 2, title: "Hamlet", year: 1603 },
    { id: 3, title: "Persuasion", year: 1817 },
    { id: 4, title: null, year: null },
  ],
  faceted: [{ id: 1, title: "Emma" }],
  days: [1, 2, 3, 4].map((id) => ({ id, day: `2024-01-0${1 + (id % 2)}` })),
};

const metadata = { databases: { library: { tables: { faceted: { facets: ["title"] } } } } };

describe("the page of a table in a browser", () => {
  const session = inBrowser({ tables, metadata });

  it("filters rows without scripting", async () => {
    const page = await session.open("/library/books", { scripting: false });

    await page.click(".filter-menu > summary");
    await page.selectOption("select[name=_filter_column]", "title");
    await page.selectOption("select[name=_filter_op]", "contains");
    await page.fill("input[name=_filter_value]", "a");
    await page.click("text=Apply");
    await page.waitForURL((url) => url.search !== "");

    expect(new URL(page.url()).search).to.equal("?title__contains=a");
    expect(await page.locator("tbody tr").count()).to.equal(3);
  });

  it("clears a filter by its ✖", async () => {
    const page = await session.open("/library/books?title__contains=a");

    await page.click(".filter-menu > summary");
    await page.click("[data-clear-filter]");
    await page.waitForURL((url) => url.search === "");

    expect(await page.locator("tbody tr").count()).to.equal(4);
  });

  it("exports all rows also from a later page", async () => {
    const page = await session.open("/library/books?_size=1&_next=1&year__gt=1");

    await page.click(".export-menu > summary");
    await page.check("input[name=_stream]");
    await page.click("text=Export CSV");
    await page.waitForURL(/books\.csv/);

    expect(await page.locator("body").textContent()).to.match(/Emma[^]*Hamlet[^]*Persuasion/);
  });

  it("has a menu on each column that can be used from the keyboard", async () => {
    const page = await session.open("/library/books");

    await page.locator("th.col-title summary").press("Enter");
    // The menu gets its entries when it has opened.
    await page.locator("th.col-title .menu-panel a").first().waitFor();
    const entries = await page.locator("th.col-title .menu-panel a").allTextContents();
    await page.locator("th.col-title .menu-panel a", { hasText: "Sort descending" }).press("Enter");
    await page.waitForURL(/_sort_desc=title/);

    expect(entries).to.deep.equal([
      "Sort ascending",
      "Sort descending",
      "Facet by this",
      "Group by this",
      "Hide this column",
      "Show not-blank rows",
    ]);
    expect(await page.locator("tbody tr").first().textContent()).to.include("Persuasion");
  });

  it("has column menus on a phone that a finger can hit, inside of the screen", async () => {
    const page = await session.open("/library/books", { width: 390 });
    const button = page.locator("th.col-title summary");
    const target = await button.boundingBox();
    await button.click();
    const menu = page.locator("th.col-title .menu-panel");
    // The panel is shown by an event after the click.
    await menu.waitFor();
    const panel = await menu.boundingBox();

    expect(Math.min(target?.width ?? 0, target?.height ?? 0)).to.be.at.least(24);
    expect(panel?.x).to.be.at.least(0);
    expect((panel?.x ?? 0) + (panel?.width ?? 390)).to.be.at.most(390);
  });

  it("has column menus in which arrow keys move, from the button that opened them too", async () => {
    const page = await session.open("/library/books");
    await page.locator("th.col-title summary").click();
    await page.locator("th.col-title .menu-panel a").first().waitFor();
    const focused = async (key: string): Promise<unknown> => {
      await page.keyboard.press(key);
      return page.evaluate("document.activeElement.textContent");
    };

    expect(await focused("ArrowDown")).to.equal("Sort ascending");
    expect(await focused("ArrowDown")).to.equal("Sort descending");
    expect(await focused("End")).to.equal("Show not-blank rows");
    expect(await focused("ArrowDown")).to.equal("Sort ascending");
    expect(await focused("ArrowUp")).to.equal("Show not-blank rows");
  });

  it("closes menus on a click elsewhere and on Escape", async () => {
    const page = await session.open("/library/books");
    const menu = page.locator("th.col-title details");

    await menu.locator("summary").click();
    await page.click("h1");
    expect(await menu.getAttribute("open")).to.equal(null);
    await menu.locator("summary").click();
    await page.keyboard.press("Escape");
    expect(await menu.getAttribute("open")).to.equal(null);
  });

  for (const [query, column, direction, glyph] of [
    ["", "id", "ascending", "▲"],
    ["?_sort=title", "title", "ascending", "▲"],
    ["?_sort_desc=year", "year", "descending", "▼"],
  ] as const) {
    it(`points ${glyph} where ${query || "the key"} sorts ${direction}, for the eye alone`, async () => {
      const page = await session.open(`/library/books${query}`);
      const heading = page.locator("thead th[aria-sort]");

      expect(await heading.count()).to.equal(1);
      expect(await heading.getAttribute("data-column")).to.equal(column);
      expect(await heading.getAttribute("aria-sort")).to.equal(direction);
      expect(await heading.locator("a [aria-hidden=true]").textContent()).to.equal(glyph);
    });
  }

  it("sorts by a further column, and numbers the columns of the order", async () => {
    const page = await session.open("/library/books?_sort_desc=year");
    await page.locator("th.col-title summary").press("Enter");
    await page.locator("th.col-title .menu-panel a", { hasText: "Then sort ascending" }).press("Enter");
    await page.waitForURL(/_order=-year%2Ctitle/);
    const marks = page.locator("thead th a [aria-hidden=true]");

    expect(await marks.allTextContents()).to.deep.equal(["▲2", "▼1"]);
    expect(await page.locator("thead th[aria-sort]").count()).to.equal(1);
    expect(await page.locator("tbody tr").first().textContent()).to.include("Persuasion");
  });

  it("has one card for a facet that is requested twice, and a different id for each card", async () => {
    const page = await session.open("/library/faceted?_facet=title&_facet=title&_facet_date=title");
    const ids = await page.locator(".facet").evaluateAll((cards) => cards.map((card) => card.id));
    const kinds = await page.locator(".facet h3").allTextContents();

    expect(kinds).to.have.length(2);
    expect(kinds.filter((text) => text.includes("(date)"))).to.have.length(1);
    expect(new Set(ids).size).to.equal(2);
    expect(ids).to.include("facet-title");
  });

  it("leads from a suggested facet to its card", async () => {
    const page = await session.open("/library/days?_facet=day");
    await page.click(".facet-menu > summary");
    await page.click(".suggested-facets a >> text=day");
    await page.waitForURL(/_facet_date=day/);

    expect(await page.locator(".facet:target .kind").textContent()).to.equal("(date)");
  });

  it("offers the values of a facet to who types one for its column", async () => {
    const page = await session.open("/library/books?_facet=title&_facet=year");
    const offered = () =>
      page
        .locator("datalist option")
        .evaluateAll((options) => options.map((one) => one.getAttribute("value")));

    await page.click(".filter-menu > summary");
    await page.selectOption("select[name=_filter_column]", "title");
    expect(await offered()).to.have.members(["Emma", "Hamlet", "Persuasion"]);
    await page.selectOption("select[name=_filter_column]", "year");
    expect(await offered()).to.have.members(["1603", "1815", "1817"]);
  });
});

describe("the page of a table in a large file, in a browser", () => {
  const session = inBrowser({
    views: {
      slow: "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n limit 3000000",
    },
    settings: { sql_time_limit_ms: 60_000 },
  });

  it("shows the number of rows when they are counted", async () => {
    // SQLite ignores bytes after the pages that its header counts. They take no space on the disk.
    await truncate(session.rowhouse.file(), 150_000_000);

    const page = await session.open("/library/slow?_size=1&_nosuggest=1");
    const first = await page.locator(".figures").allTextContents();
    await page.locator(".figures", { hasText: "3,000,000" }).first().waitFor();
    const later = await page.locator(".figures").allTextContents();

    expect(new Set(first)).to.deep.equal(new Set(["1 to 1, counting …"]));
    expect(later).to.deep.equal(first.map(() => "1 to 1 of 3,000,000"));
  });
});
