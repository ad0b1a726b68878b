import { expect } from "chai";
import type { Page } from "playwright-core";
import { inBrowser, violations } from "./session.js";
import { recordShifts, shiftsOf } from "./layout-shifts.js";

const COLUMNS = Array.from({ length: 12 }, (_, index) => `column_${index} text`).join(", ");
const SQL = `
  create table genres (id integer primary key, name text);
  insert into genres values (1, 'Novel'), (2, 'Play');
  create table books (id integer primary key, title text, genre_id integer references genres(id), ${COLUMNS});
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 450)
    insert into books (id, title, genre_id, column_0) select i, 'Book ' || i, i % 2 + 1, 'value' from n;
  create table empty (id integer primary key, name text);
  create table places (id integer primary key, name text, kind text, lat real, lng real);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 90)
    insert into places select i, 'Place ' || i, 'kind ' || i % 3, i / 2.0, i / 2.0 from n;
`;
const METADATA = {
  databases: {
    library: {
      tables: {
        books: {
          description: "What this is about, told at length. ".repeat(12),
          source: "The library",
          facets: ["genre_id", "column_0"],
          columns: { title: "What is printed on the cover" },
          sort_desc: "title",
        },
        places: { description: "Where they are", facets: ["kind"] },
      },
    },
  },
};
const root = { id: "root" };

const firstRowTop = async (page: Page): Promise<number> =>
  Number(await page.evaluate(`document.querySelector("tbody tr").getBoundingClientRect().top`));

describe("the page of a table", () => {
  afterEach(() => expect(session.complaints).to.deep.equal([]));
  const session = inBrowser({ sql: SQL, metadata: METADATA });

  for (const [width, most] of [
    [1280, 260],
    [390, 420],
  ] as const) {
    it(`begins with rows: above ${most} pixels on a screen of ${width}`, async () => {
      const page = await session.page({ as: root, width });
      await recordShifts(page);
      await page.goto(`${session.rowhouse.origin}/library/books`);

      expect(await firstRowTop(page)).to.be.below(most);
      expect(await shiftsOf(page)).to.be.below(0.02);
    });
  }

  for (const [width, most] of [
    [1280, 260],
    [390, 420],
  ] as const) {
    it(`begins with groups: above ${most} pixels on a screen of ${width}`, async () => {
      const path = "/library/places?_group=kind,name&_agg=count,avg(lat)&name__contains=Place";
      const page = await session.open(path, { as: root, width });
      await page.locator(".chart-button").waitFor();

      expect(await firstRowTop(page)).to.be.below(most);
    });
  }

  it("begins with rows on a phone, also with several filters", async () => {
    const filters = "?genre_id=1&column_0=value&title__contains=Book&id__gt=3&_facet=title";
    const page = await session.open(`/library/books${filters}`, { as: root, width: 390 });

    expect(await firstRowTop(page)).to.be.below(420);
    expect(await page.locator(".filter-chips > li").count()).to.equal(5);
  });

  it("has no gap and no crowd above the box that it shows instead of rows", async () => {
    const page = await session.open("/library/genres?name=none", { as: root, width: 390 });
    const gap = await page.evaluate(`(() => {
      const top = (selector) => document.querySelector(selector).getBoundingClientRect();
      return [top(".narrowing").top - top(".export-menu").bottom, top(".empty").top - top(".narrowing").bottom];
    })()`);

    expect(gap).to.deep.equal([8, 8]);
  });

  for (const [width, path] of [
    [1280, "/library/books?_next=$offset100"],
    [
      1280,
      "/library/places?lat__gt=1&lng__gt=1&id__gt=1&id__lt=89&name__contains=P&_size=20&_next=$offset20",
    ],
    [390, "/library/places?lat__gt=1&lng__gt=1&id__gt=1&id__lt=89&name__contains=P&_size=20&_next=$offset20"],
  ] as const) {
    it(`lets the tab key reach the first row within 15 stops: ${path} on ${width} pixels`, async () => {
      const page = await session.open(path, { as: root, width });
      await page.locator(".toolbar .chart-button").waitFor();
      if (width === 390) await page.click(".facets-fold > summary");
      await page.click(".filter-menu > summary");
      await page.locator(".skip-link").focus();
      let stops = 1;
      do {
        await page.keyboard.press("Tab");
        stops += 1;
      } while (stops < 40 && (await page.evaluate(`document.activeElement.closest("tbody")`)) === null);

      expect(stops).to.be.at.most(15);
    });
  }

  it("lets arrow keys move between the tools and between the filters, and closes a menu that is left", async () => {
    const page = await session.open("/library/places?lat__gt=1&id__gt=1", { as: root });
    await page.locator(".toolbar .map-button").waitFor();
    const focused = () => page.evaluate("document.activeElement.textContent.trim()");
    await page.locator(".filter-menu > summary").focus();
    await page.keyboard.press("End");
    const last = await page.locator(".toolbar > button").last().textContent();
    expect(await focused()).to.equal(last);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.locator(".filter-menu[open]").waitFor();
    await page.locator(".filter-chips a").first().focus();
    expect(await page.locator(".filter-menu[open]").count()).to.equal(0);
    await page.keyboard.press("End");
    expect(await focused()).to.equal("Remove all");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.search === "?id__gt=1");
  });

  it("lets arrow keys move between cells and headings", async () => {
    const page = await session.open("/library/books");
    const place = () =>
      page.evaluate(
        `((cell) => [cell.parentElement.rowIndex, cell.cellIndex])(document.activeElement.closest("td, th"))`,
      );
    await page.locator("tbody td.type-pk a").first().focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    expect(await place()).to.deep.equal([2, 1]);
    await page.keyboard.press("End");
    expect(await place()).to.deep.equal([2, 14]);
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    expect(await place()).to.deep.equal([0, 0]);
    await page.keyboard.press("Enter");
    await page.waitForURL(/_sort=id/);
  });

  it("begins at the cell that is clicked, unless a text is selected there", async () => {
    const page = await session.open("/library/books");
    const focused = () =>
      page.evaluate(
        `((cell) => cell && [cell.parentElement.rowIndex, cell.cellIndex])(document.activeElement.closest("td, th"))`,
      );
    const cells = page.locator("tbody tr").nth(1).locator("td");
    await cells.nth(1).click({ position: { x: 3, y: 3 } });
    expect(await focused()).to.deep.equal([2, 1]);
    await page.keyboard.press("ArrowRight");
    expect(await focused()).to.deep.equal([2, 2]);

    await page.mouse.click(1, 1);
    await page.evaluate(`getSelection().selectAllChildren(document.querySelector("tbody td:nth-child(2)"))`);
    await page.evaluate(`document.querySelector("tbody td:nth-child(2)").click()`);
    expect(await focused()).to.equal(null);
  });

  it("scrolls as a page, and keeps headings and keys in sight", async () => {
    const page = await session.open("/library/books");
    await page.evaluate(`scrollTo(0, 1500); document.querySelector(".table-wrapper").scrollLeft = 400`);
    await page.waitForTimeout(200);
    const [headTop, keyLeft, boxScrolled] = (await page.evaluate(`[
      document.querySelector("thead th").getBoundingClientRect().top,
      document.querySelector("tbody tr:nth-child(40) td.type-pk").getBoundingClientRect().left
        - document.querySelector(".table-wrapper").getBoundingClientRect().left,
      document.querySelector(".table-wrapper").scrollTop,
    ]`)) as [number, number, number];

    expect(headTop).to.be.within(-1, 2);
    expect(keyLeft).to.be.within(0, 2);
    expect(boxScrolled).to.equal(0);
  });

  it("says where among the rows it is, and leads to the pages before and after", async () => {
    const page = await session.open("/library/books?_sort=id");
    const position = page.locator(".narrowing .position");
    const text = async () => (await position.locator(".figures").textContent())?.trim();
    const ids = async () => [
      await page.locator("tbody td.type-pk").first().textContent(),
      await page.locator("tbody td.type-pk").last().textContent(),
    ];

    expect(await text()).to.equal("1 to 100 of 450");
    await position.locator("[rel=next]").click();
    await page.waitForURL(/_next/);
    expect([await text(), ...(await ids())]).to.deep.equal(["101 to 200 of 450", "101", "200"]);
    await position.locator("[rel=next]").click();
    await page.waitForURL(/_next=200/);
    expect(await text()).to.equal("201 to 300 of 450");
    await position.locator("[rel=prev]").click();
    await page.waitForURL(/offset100/);
    expect([await text(), ...(await ids())]).to.deep.equal(["101 to 200 of 450", "101", "200"]);
    await position.locator("[rel=prev]").click();
    await page.waitForURL((url) => !url.search.includes("_next"));
    expect(await text()).to.equal("1 to 100 of 450");
  });

  it("shows filters as chips that can be taken away without scripting", async () => {
    const page = await session.open("/library/books?genre_id=1&id__gt=5", { scripting: false });
    const chips = page.locator(".filter-chips li > span");

    expect(await chips.allTextContents()).to.deep.equal(["genre_id = Novel", "id > 5"]);
    await page.locator("[aria-label='Remove genre_id = Novel']").click();
    await page.waitForURL((url) => url.search === "?id__gt=5");
    await page.click("text=Remove all");
    await page.waitForURL((url) => url.search === "");
  });

  it("opens its description, its filters and its export", async () => {
    const page = await session.open("/library/books", { scripting: false });
    await page.click(".about > summary");
    await page.locator("dt", { hasText: "title" }).waitFor();
    await page.click(".export-menu > summary");
    await page.locator("text=Export CSV").waitFor();
    await page.click(".filter-menu > summary");
    await page.selectOption("select[name=_sort]", "id");
    await page.click("text=Apply");
    await page.waitForURL(/_sort_desc=id/);
  });

  it("offers links to rows, or to add some, where there are no rows", async () => {
    const page = await session.open("/library/empty", { as: root });
    expect(await page.locator(".empty a").allTextContents()).to.deep.equal(["Add a row", "Import a file"]);
    await page.goto(`${session.rowhouse.origin}/library/books?title=nothing`);
    await page.click(".empty >> text=Show all rows");
    await page.waitForURL((url) => url.search === "");

    const anonymous = await session.open("/library/empty");
    expect(await anonymous.locator(".empty").textContent()).to.include("This table has no rows yet.");
    expect(await anonymous.locator(".empty a").count()).to.equal(0);
  });

  for (const [colorScheme, width] of [
    ["light", 1280],
    ["dark", 390],
  ] as const) {
    it(`is accessible with its menus open in ${colorScheme} colours on ${width} pixels`, async () => {
      const view = { colorScheme, width, bypassPolicy: true, as: root };
      const page = await session.open("/library/books?genre_id=1&_size=3", view);
      for (const menu of [".about", ".filter-menu", ".export-menu"]) {
        await page.evaluate(`document.querySelector("${menu}").open = true`);
        expect(await violations(page), menu).to.deep.equal([]);
        await page.evaluate(`document.querySelector("${menu}").open = false`);
      }
    });
  }

  it("gives no cell its style again because of another cell, in tables of many columns", async () => {
    const page = await session.open("/library/books");
    const rules = await page.evaluate(
      `[...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).flatMap((rule) => [rule, ...(rule.cssRules ?? [])])
        .map(({ selectorText }) => selectorText ?? "")`,
    );
    const slow = (rules as readonly string[]).filter((rule) =>
      /\.rows-and-columns[^ ]*:has\([^)]*td/.test(rule),
    );

    expect((rules as readonly string[]).some((rule) => rule.includes(".rows-and-columns.has-keys"))).to.equal(
      true,
    );
    expect(slow).to.deep.equal([]);
    expect(await page.locator("table.rows-and-columns").getAttribute("class")).to.include("has-keys");
  });
});

describe("the page of a table with a facet that takes too long", () => {
  const sql = `create view slow as
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000) select i from n`;
  const session = inBrowser({ sql, settings: { facet_time_limit_ms: 20 } });

  it("begins with rows", async () => {
    const page = await session.open("/library/slow?_facet=i&_nocount=1");
    await page.locator("text=These facets timed out: i").waitFor();

    expect(await firstRowTop(page)).to.be.below(260);
  });
});
