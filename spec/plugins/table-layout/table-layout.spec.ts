import { expect } from "chai";
import type { Page } from "playwright-core";
import { inBrowser, violations } from "../../browser/session.js";

const SQL = `
  create table books (id integer primary key, title text, year integer, price real);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 120)
    insert into books select i, 'A title of some length ' || i, 1800 + i, i / 2.0 from n;
  create table wide (${Array.from({ length: 100 }, (_, column) => `c${column} text`).join(", ")});
  insert into wide (c0) values ('first'), ('second');
  create table widest (id integer primary key, ${Array.from({ length: 600 }, (_, column) => `c${column} text`).join(", ")});
  insert into widest (c0) values ('first'), ('second');
`;

const headings = (page: Page): Promise<string[]> =>
  page.$$eval("thead th", (cells) => cells.map((cell) => cell.getAttribute("data-column") ?? ""));
const widthOf = async (page: Page, column: string): Promise<number> =>
  (await page.locator(`th[data-column=${column}]`).boundingBox())?.width ?? 0;

describe("the layout of a table", () => {
  const session = inBrowser({ sql: SQL });
  afterEach(() => expect(session.complaints).to.deep.equal([]));

  for (const scripting of [true, false]) {
    it(`has the chosen columns and rows, ${scripting ? "with" : "without"} scripts`, async () => {
      const page = await session.open("/library/books?price__gt=1&_sort=year", { scripting });
      await page.click(".columns-menu > summary");
      await page.uncheck(".column-list input[value=year]");
      await page.selectOption(".columns-menu select[name=_size]", "20");
      await page.click(".columns-menu button[type=submit]");
      await page.waitForURL(/_size=20/);

      expect(await headings(page)).to.deep.equal(["id", "title", "price"]);
      expect(await page.locator("tbody tr").count()).to.equal(20);
      expect(new URL(page.url()).searchParams.get("price__gt")).to.equal("1");
      expect(new URL(page.url()).searchParams.get("_sort")).to.equal("year");
    });
  }

  it("has the columns in the order of their list", async () => {
    const page = await session.open("/library/books");
    await page.click(".columns-menu > summary");
    await page.click('[aria-label="Move price up"]');
    await page.click('[aria-label="Move price up"]');
    await page.click('[aria-label="Move price up"]');
    await page.click(".columns-menu button[type=submit]");
    await page.waitForURL(/_col=/);

    expect(await headings(page)).to.deep.equal(["id", "price", "title", "year"]);
    expect(page.url()).to.match(/\?_col=price&_col=title&_col=year$/);
  });

  for (const scripting of [true, false]) {
    it(`has the chosen ones of hundreds of columns, ${scripting ? "with" : "without"} scripts`, async () => {
      const page = await session.open("/library/widest?_nocol=c1&c0=first", { scripting });
      const list = page.locator(".columns-menu select[name=_col]");
      const choose = async (columns: readonly string[], url: RegExp): Promise<void> => {
        await page.click(".columns-menu > summary");
        await list.selectOption([...columns]);
        await page.click(".columns-menu button[type=submit]");
        await page.waitForURL(url);
      };

      expect(await list.locator("option").count()).to.equal(599);
      await choose(["c599", "c300"], /_col=c300&_col=c599/);
      expect(await headings(page)).to.deep.equal(["id", "c300", "c599"]);
      expect(await list.locator("option:checked").allTextContents()).to.deep.equal(["c300", "c599"]);
      await choose([], /\?_nocol=c1&c0=first(?:&_size=100)?$/);
      expect(await headings(page))
        .to.include("c0")
        .and.not.include("c1");
    });
  }

  it("has a few of a hundred columns in some steps", async () => {
    const page = await session.open("/library/wide");
    await page.click(".columns-menu > summary");
    await page.click(".columns-menu >> text=None");
    await page.getByLabel("Find a column").fill("C4");
    await page.check(".column-list input[value=c4]");
    await page.check(".column-list input[value=c42]");
    expect(await page.locator(".column-list li").filter({ visible: true }).count()).to.equal(11);
    await page.click(".columns-menu button[type=submit]");
    await page.waitForURL(/\?_col=c4&_col=c42$/);

    expect(await headings(page)).to.deep.equal(["Link", "rowid", "c4", "c42"]);
  });

  it("keeps a short address if nothing was chosen", async () => {
    const page = await session.open("/library/books?price__gt=1");
    await page.click(".columns-menu > summary");
    await page.click(".columns-menu button[type=submit]");
    await page.waitForURL(/price__gt=1$/);

    expect(await headings(page)).to.have.length(4);
  });

  it("can still be chosen in a page that the browser shows again after its form was sent", async () => {
    const page = await session.open("/library/books");
    await page.locator(".columns-menu select[name=_size]").waitFor({ state: "attached" });
    const enabled = "document.querySelectorAll('form[data-columns] :is(input, select):enabled').length";
    const before = await page.evaluate(enabled);
    await page.evaluate(`(() => {
      const form = document.querySelector("form[data-columns]");
      form.addEventListener("submit", (event) => event.preventDefault());
      form.requestSubmit();
    })()`);
    expect(await page.evaluate(enabled)).to.equal(before);
  });

  it("keeps widths, frozen columns and density in the browser", async () => {
    const page = await session.open("/library/books", { width: 700 });
    const handle = await page.locator("th[data-column=title] .resize-handle").boundingBox();
    const [x, y] = [(handle?.x ?? 0) + 3, (handle?.y ?? 0) + 5];
    const before = await widthOf(page, "title");
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y, { steps: 3 });
    await page.mouse.up();
    const after = await widthOf(page, "title");
    // What screen readers read with each cell.
    expect(await page.getByRole("columnheader", { name: "year", exact: true }).count()).to.equal(1);
    await page.locator("th[data-column=year] .resize-handle").focus();
    await page.keyboard.press("ArrowRight");
    await page.click(".columns-menu > summary");
    await page.locator(".columns-menu select").nth(1).selectOption("compact");
    await page.locator(".columns-menu select").nth(2).selectOption("2");
    await page.reload();
    const positionOf = (selector: string): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector("${selector}")).position`);

    expect(after).to.be.closeTo(before + 60, 2);
    expect(await widthOf(page, "title")).to.be.closeTo(after, 2);
    expect(await positionOf("tbody td:nth-child(2)")).to.equal("sticky");
    expect(await positionOf("tbody td:nth-child(3)")).not.to.equal("sticky");
    expect(await page.getAttribute("html", "data-density")).to.equal("compact");
    await page.locator("th[data-column=title] .resize-handle").dblclick();
    await expectWidth(page, before);
  });

  it("shows the frozen heading while the menu of a heading that scrolls below it is open", async () => {
    const page = await session.open("/library/books", { width: 300 });
    await page.evaluate("document.querySelector('.table-wrapper').scrollLeft = 90");
    await page.locator("th[data-column=title] summary").click();
    const { x = 0, y = 0 } = (await page.locator("th[data-column=id]").boundingBox()) ?? {};
    const shown = `document.elementFromPoint(${x + 12}, ${y + 12}).closest("th").dataset.column`;

    expect(await page.locator("th[data-column=title] details[open]").count()).to.equal(1);
    expect(await page.evaluate(shown)).to.equal("id");
  });

  it("marks the whole row under the pointer, frozen columns too", async () => {
    const page = await session.open("/library/books", { as: { id: "root" } });
    await page.hover("tbody tr:first-child td:nth-child(2)");
    const grounds = await page.evaluate(
      "[...document.querySelectorAll('tbody tr:first-child td')].map((cell) => getComputedStyle(cell).backgroundColor)",
    );

    expect([...new Set(grounds as string[])]).to.have.length(1);
  });

  it("is not computed again for each column when a page is loaded", async () => {
    const page = await session.page();
    const devTools = await page.context().newCDPSession(page);
    await devTools.send("Performance.enable");
    await page.goto(`${session.rowhouse.origin}/library/wide`);
    await page.locator("th[data-column=c99] .resize-handle").waitFor({ state: "attached" });
    const { metrics } = await devTools.send("Performance.getMetrics");

    expect(metrics.find(({ name }) => name === "LayoutCount")?.value).to.be.below(50);
  });

  for (const width of [1280, 390]) {
    it(`is changed by an accessible menu that fits ${width} pixels`, async () => {
      const page = await session.open("/library/books", { width, bypassPolicy: true });
      await page.click(".columns-menu > summary");
      await page.locator(".columns-menu .move").first().waitFor();
      const panel = await page.locator(".columns-menu > .menu-panel").boundingBox();
      const excess = await page.evaluate("document.documentElement.scrollWidth - innerWidth");

      expect(excess).to.equal(0);
      expect(panel?.y).to.be.below(320);
      expect(await violations(page)).to.deep.equal([]);
    });
  }
});

/** Waits until the heading of the title has this width. */
const expectWidth = (page: Page, width: number): Promise<unknown> =>
  page.waitForFunction(
    `Math.abs(document.querySelector("th[data-column=title]").getBoundingClientRect().width - ${width}) < 3`,
  );
