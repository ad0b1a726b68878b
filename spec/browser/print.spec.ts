import { expect } from "chai";
import { inBrowser } from "./session.js";

const words = (text: string, times: number): string => `'${text.repeat(times)}'`;
const SQL = `
  create table books (id integer primary key, title text, author text, genre text, year integer, price real, at text,
    notes text, url text, tags text, size integer, cover text);
  with recursive n(i) as (select 9007199254740001 union all select i + 1 from n where i < 9007199254740100)
    insert into books select i, ${words("Long title ", 12)}, ${words("x", 400)}, 'Novel', 1999, 1.5, '2024-01-05T10:00:00Z',
      iif(i % 2, ${words("nospace", 80)}, ${words("word ", 200)}), 'https://example.com/a/very/long/path?q=1', '["a"]', i, null from n;
`;

describe("a page on paper", () => {
  const session = inBrowser({ sql: SQL });

  it("has the rows, whole keys and numbers, and nothing to press", async () => {
    const page = await session.open("/library/books?year=1999&_size=20", { as: { id: "root" } });
    await page.locator(".row-check").first().waitFor({ state: "attached" });
    await page.emulateMedia({ media: "print" });
    const pressed = await page
      .locator("main :is(button, input, select, summary > span, .button, .remove, a:text-is('Remove all'))")
      .filter({ visible: true })
      .count();
    const lines = `document.querySelector("tbody td a").getClientRects().length`;

    const excess = "document.documentElement.scrollWidth - innerWidth";

    expect(pressed).to.equal(0);
    expect(await page.evaluate(excess)).to.equal(0);
    expect(await page.evaluate(lines)).to.equal(1);
    expect(await page.locator(".filter-chips >> text=year = 1999").isVisible()).to.equal(true);
  });

  it("is laid out soon if its rows are long", async () => {
    const page = await session.open("/library/books", { as: { id: "root" } });
    const pdf = page.pdf();
    const isSoon = Promise.race([pdf.then(() => true), page.waitForTimeout(30_000).then(() => false)]);

    expect(await isSoon).to.equal(true);
  });
});
