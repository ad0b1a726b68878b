import { expect } from "chai";
import type { Page } from "playwright-core";
import { inBrowser } from "./session.js";

const words = (text: string, times: number): string => `'${text.repeat(times)}'`;
const DESCRIPTION = "All books, and what is known about each of them. ".repeat(8);
const SQL = `
  create table books (id integer primary key, title text, author text, genre text, year integer, price real, at text,
    notes text, url text, tags text, size integer, cover text);
  create table places (id integer primary key, tags text, latitude real, longitude real);
  insert into places values (1, 'a', 10, 20), (2, 'b', -30, 100), (3, 'a', 50, -100);
  create virtual table books_fts using fts5 (title, content=books);
  with recursive n(i) as (select 9007199254740001 union all select i + 1 from n where i < 9007199254740100)
    insert into books select i, ${words("Long title ", 12)}, ${words("x", 400)}, 'Novel', 1999, 1.5, '2024-01-05T10:00:00Z',
      iif(i % 2, ${words("nospace", 80)}, ${words("word ", 200)}), 'https://example.com/a/very/long/path?q=1', '["a"]', i, null from n;
`;

/** The number of controls that are shown. */
const countPressed = (page: Page): Promise<number> =>
  page
    .locator(
      "main :is(button, input, select, summary > span:not(.teaser), .button, .remove, a:text-is('Remove all'))",
    )
    .filter({ visible: true })
    .count();

describe("a page on paper", () => {
  const session = inBrowser({
    sql: SQL,
    metadata: { databases: { library: { tables: { books: { description: DESCRIPTION } } } } },
  });

  it("has the rows, whole keys and numbers, and nothing to press", async () => {
    const page = await session.open("/library/books?year=1999&_size=20", { as: { id: "root" } });
    await page.locator(".row-check").first().waitFor({ state: "attached" });
    await page.emulateMedia({ media: "print" });
    const pressed = await countPressed(page);
    const lines = `document.querySelector("tbody td a").getClientRects().length`;

    const excess = "document.documentElement.scrollWidth - innerWidth";

    expect(pressed).to.equal(0);
    expect(await page.evaluate(excess)).to.equal(0);
    expect(await page.evaluate(lines)).to.equal(1);
    expect(await page.locator(".filter-chips >> text=year = 1999").isVisible()).to.equal(true);
  });

  it("has the whole description", async () => {
    const page = await session.open("/library/books?_size=1");
    await page.emulateMedia({ media: "print" });
    const hidden =
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.about .teaser'))";

    expect(await page.evaluate(hidden)).to.equal(0);
  });

  it("has the groups of rows without the form that changes them", async () => {
    const page = await session.open("/library/books?_group=genre");
    await page.emulateMedia({ media: "print" });

    expect(await countPressed(page)).to.equal(0);
    expect(await page.locator("tbody td >> text=Novel").isVisible()).to.equal(true);
  });

  for (const [hash, selector] of [
    ["map", ".map-picture"],
    ["chart=bar&x=tags", ".chart-picture"],
  ] as const) {
    it(`has the whole picture of #${hash} above the rows`, async () => {
      const page = await session.open(`/library/places#${hash}`);
      const picture = page.locator(`${selector} svg`).first();
      await picture.waitFor();
      await page.emulateMedia({ media: "print" });
      await page.setViewportSize({ width: 794, height: 1123 });
      const box = await picture.boundingBox();
      const rows = await page.locator(".rows-and-columns").boundingBox();

      expect(box?.height).to.be.above(50);
      expect((box?.x ?? 0) + (box?.width ?? 0)).to.be.below(794);
      expect((box?.y ?? 0) + (box?.height ?? 0)).to.be.below(rows?.y ?? 0);
      expect(await countPressed(page)).to.equal(0);
    });
  }

  it("is laid out soon if its rows are long", async () => {
    const page = await session.open("/library/books", { as: { id: "root" } });
    const pdf = page.pdf();
    const isSoon = Promise.race([pdf.then(() => true), page.waitForTimeout(30_000).then(() => false)]);

    expect(await isSoon).to.equal(true);
  });
});
