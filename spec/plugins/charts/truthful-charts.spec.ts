import { expect } from "chai";
import type { Page } from "playwright-core";
import { recordShifts, shiftsOf } from "../../browser/layout-shifts.js";
import { inBrowser } from "../../browser/session.js";

const SQL = `
  create table books (id integer primary key, kind text, year integer, pages integer, added text, tags text);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 3200)
  insert into books
    select i, case i % 3 when 0 then 'novel' when 1 then 'play' else 'poem' end, 1990 + i % 20, i % 400,
      date('2024-01-01', '+' || (i % 9) || ' days'), '["a"]' from n;
  create table few as select * from books where id <= 30;
`;
const metadata = { databases: { library: { tables: { few: { facets: ["tags"] } } } } };
const PICTURE = ".chart-picture svg[role=img]";

const texts = (page: Page): Promise<string[]> => page.locator(`${PICTURE} text`).allTextContents();

/** The names of bars from top to bottom. @throws AssertionError for a warning sign in the picture */
async function barNames(page: Page): Promise<string[]> {
  await page.locator(PICTURE).waitFor();
  expect((await texts(page)).join()).not.to.include("⚠");
  return page.locator(`${PICTURE} .chart-y-axis-tick-label text`).allTextContents();
}

const setHash = (page: Page, hash: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

describe("a chart", () => {
  const session = inBrowser({ sql: SQL, metadata });

  for (const [address, notice] of [
    ["/library/books", "Only the first 1,000 of 3,200 rows are drawn."],
    ["/library/books?_nocount=1", "Only the first 1,000 rows are drawn."],
    ["/library?sql=select+*+from+books", "Only the first 1,000 rows are drawn."],
  ] as const) {
    it(`of ${address} warns that it leaves rows out, above and in its axis`, async () => {
      const page = await session.open(`${address}#chart=bar&x=kind`);
      await page.locator(PICTURE).waitFor();
      const warning = page.locator(".chart [role=status].message-warning");

      expect(await warning.textContent()).to.include(notice);
      expect((await texts(page)).join()).to.include("rows among the first 1,000");
      expect(await page.locator(PICTURE).getAttribute("aria-label")).to.include("among the first 1,000");
    });
  }

  it("of all rows warns of nothing", async () => {
    const page = await session.open("/library/few#chart=bar&x=kind");
    await page.locator(PICTURE).waitFor();

    expect(await page.locator(".chart .message-warning").count()).to.equal(0);
    expect(await page.locator(".chart-status").textContent()).to.equal("30 rows");
  });

  it("that is a histogram counts rows, whatever another chart had for its height", async () => {
    const page = await session.open("/library/few#chart=scatter&x=pages&y=year");
    await page.locator(PICTURE).waitFor();
    await page.selectOption("select[name=mark]", "histogram");
    await page.locator(`${PICTURE}[aria-label^="histogram"]`).waitFor();

    expect((await texts(page)).join())
      .to.include("↑ rows")
      .and.not.include("year");
    expect(await page.locator(PICTURE).getAttribute("aria-label")).to.equal(
      "histogram chart of the number of rows by pages",
    );
    expect(new URL(page.url()).hash).to.equal("#chart=histogram&x=pages");
  });

  it("that was a histogram in between has its column for the height again", async () => {
    const page = await session.open("/library/few#chart=scatter&x=pages&y=year");
    await page.locator(PICTURE).waitFor();
    await page.selectOption("select[name=mark]", "histogram");
    await page.selectOption("select[name=mark]", "scatter");
    await page.locator(`${PICTURE}[aria-label="scatter chart of year by pages"]`).waitFor();

    expect(await page.inputValue("select[name=y]")).to.equal("year");
    expect(new URL(page.url()).hash).to.equal("#chart=scatter&x=pages&y=year");
  });

  it("of numbers or days as bars has them in their order, without a warning sign", async () => {
    expect(await session.open("/library/few#chart=bar&x=year").then(barNames)).to.deep.equal(
      Array.from({ length: 20 }, (_, index) => `${1990 + index}`),
    );
    expect(await session.open("/library/few#chart=bar&x=added").then(barNames)).to.deep.equal(
      Array.from({ length: 9 }, (_, index) => `2024-01-0${index + 1}`),
    );
  });

  it("shows how many bars it leaves out", async () => {
    const page = await session.open("/library/books#chart=bar&x=pages");
    await page.locator(PICTURE).waitFor();

    expect(await page.locator(".chart-status").textContent()).to.include("The 50 longest of 400 bars.");
  });

  it("gives no two values one colour", async () => {
    const page = await session.open("/library/few#chart=scatter&x=pages&y=year&color=year");
    await page.locator(PICTURE).waitFor();
    const legend = await page
      .locator(".chart-picture [class*=swatch]:not([class*=swatches])")
      .allTextContents();

    expect(legend).to.have.length(8);
    expect(legend.at(-1)).to.equal("13 others");
  });

  it("of a facet draws the requested kind, also beside another facet of its column", async () => {
    const page = await session.open("/library/few?_facet_array=tags#chart=bar&x=tags&facet=array");
    await page.locator(PICTURE).waitFor();

    expect(await texts(page)).to.include("a");
  });

  it("follows the address: another chart, none, and back", async () => {
    const page = await session.open("/library/few");
    await setHash(page, "#chart=bar&x=kind");
    await page.locator(`${PICTURE}[aria-label^="bar"]`).waitFor();
    await setHash(page, "#chart=histogram&x=pages");
    await page.locator(`${PICTURE}[aria-label^="histogram"]`).waitFor();
    await setHash(page, "#export");
    expect(await page.locator(".chart").isVisible()).to.equal(true);
    await setHash(page, "");
    await page.locator(".chart").waitFor({ state: "hidden" });
    await page.goBack();
    await page.goBack();
    await page.locator(`${PICTURE}[aria-label^="histogram"]`).waitFor();

    expect(await page.inputValue("select[name=mark]")).to.equal("histogram");
  });

  for (const width of [1280, 390]) {
    it(`moves nothing while it comes, on ${width} pixels`, async () => {
      const shifts: Record<string, number> = {};
      for (const mark of [
        "bar&x=year",
        "bar&x=kind&color=kind",
        "scatter&x=pages&y=year",
        "histogram&x=pages",
      ]) {
        const page = await session.page({ width });
        await recordShifts(page);
        await page.goto(`${session.rowhouse.origin}/library/books#chart=${mark}`);
        await page.locator(PICTURE).waitFor();
        shifts[mark] = await shiftsOf(page);
      }
      const page = await session.page({ width });
      await recordShifts(page);
      await page.goto(`${session.rowhouse.origin}/library/few?_facet=kind`);
      await page.click(".chart-button");
      await page.locator(PICTURE).waitFor();
      shifts["click"] = await shiftsOf(page);

      expect(Math.max(...Object.values(shifts)), JSON.stringify(shifts)).to.be.below(0.02);
    });
  }
});
