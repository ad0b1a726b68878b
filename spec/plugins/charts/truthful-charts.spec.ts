import { expect } from "chai";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { recordShifts, shiftsOf } from "../../browser/layout-shifts.js";
import { inBrowser } from "../../browser/session.js";

const SQL = `
  create table books (id integer primary key, kind text, year integer, pages integer, added text, tags text,
    tag text);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 3200)
  insert into books
    select i, case i % 3 when 0 then 'novel' when 1 then 'play' else 'poem' end, 1990 + i % 20, i % 400,
      date('2024-01-01', '+' || (i % 9) || ' days'), '["a"]', 't' || (i % 70) from n;
  create table visits (account integer, place text);
  insert into visits values (9007199254740992, 'a'), (9007199254740993, 'a'), (9007199254740993, 'b');
  create table few as select * from books where id <= 30;
  create table slashed as
    select '2024/0' || (1 + id % 3) || '/15' as day, '0' || (1 + id % 3) || '/15/2024' as ambiguous from few;
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

/** The text of the tip of a shape. */
async function tipOf(page: Page, shape: string): Promise<string | null> {
  await page.locator(`${PICTURE} ${shape}`).first().hover({ force: true });
  const tip = page.locator(`${PICTURE} [aria-label=tip] text`);
  await tip.waitFor({ timeout: 5000 });
  return tip.textContent();
}

const setHash = (page: Page, hash: string): Promise<unknown> =>
  page.evaluate(`location.hash = ${JSON.stringify(hash)}`);

describe("a chart", () => {
  const session = inBrowser({ sql: SQL, metadata });

  async function ticksOf(rows: string): Promise<string[]> {
    const sql = encodeURIComponent(`select 1 as a, ${rows}`);
    const page = await session.open(`/library?sql=${sql}#chart=scatter&x=a&y=b`);
    await page.locator(PICTURE).waitFor();
    return page.locator(`${PICTURE} .chart-y-axis-tick-label text`).allTextContents();
  }

  for (const [address, notice] of [
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

  for (const [address, hash, status, bars] of [
    ["/library/books", "bar&x=kind", "3,200 rows", ["play: 1,067", "poem: 1,067", "novel: 1,066"]],
    ["/library/books?_nocount=1&_sort=pages", "bar&x=kind", "All rows", ["play: 1,067"]],
    ["/library/books?year__gt=2008", "bar&x=kind&y=pages&agg=avg", "160 rows", ["novel: 210.320755"]],
    ["/library/books", "bar&x=kind&y=year&agg=distinct", "3,200 rows", ["novel: 20"]],
    ["/library/books", "bar&x=kind&color=year", "3,200 rows", ["play: 1990: 53"]],
    ["/library/books", "bar&x=pages", "3,200 rows", ["0 to 20: 160", "20 to 40: 160"]],
    ["/library/books", "bar&x=pages&step=100", "3,200 rows", ["0 to 100: 800"]],
    ["/library/books", "histogram&x=pages", "3,200 rows", ["0 to 20: 160"]],
    ["/library/books", "line&x=added&step=month", "3,200 rows", ["2024-01: 3,200"]],
    ["/library/books", "line&x=added", "3,200 rows", ["2024-01-01: 355", "2024-01-02: 356"]],
  ] as const) {
    it(`of ${address} is computed over all rows: ${hash}`, async () => {
      const page = await session.open(`${address}#chart=${hash}`);
      await page.locator(PICTURE).waitFor();
      await page.click(".chart-values > summary");
      await page.locator(".chart-values tbody tr").first().waitFor();
      const rows = await page.locator(".chart-values tbody tr").all();
      const values = await Promise.all(
        rows.map(async (row) => (await row.locator("td").allTextContents()).join(": ")),
      );

      expect(await page.locator(".chart-status").textContent()).to.equal(status);
      expect(values).to.include.members([...bars]);
      expect(session.complaints).to.deep.equal([]);
    });
  }

  it("is drawn once for each value of a column, with the same axes, a bounded number of times", async () => {
    const page = await session.open("/library/books#chart=bar&x=kind&split=tag");
    await page.locator(PICTURE).waitFor();
    const plots = await page.locator(`${PICTURE}.chart-split > svg`).count();
    await page.click(".chart-values > summary");
    await page.locator(".chart-values tbody tr").first().waitFor();
    const cells = await page.locator(".chart-values tbody tr").first().locator("td").allTextContents();

    expect(plots).to.equal(12);
    expect(await page.locator(".chart-status.message-warning").textContent()).to.include(
      "The 12 most frequent of 70 values of tag have a chart.",
    );
    expect((await texts(page)).filter((text) => text.startsWith("tag: t"))).to.have.length(12);
    expect(cells).to.have.length(3);
    await page.selectOption("select[name=split]", "year");
    await page.locator(`${PICTURE} text`, { hasText: "year: 19" }).first().waitFor();
    expect(new URL(page.url()).hash).to.equal("#chart=bar&x=kind&split=year");
    expect(session.complaints).to.deep.equal([]);
  });

  it("follows an address into which another chart writes its settings before the page hears of it", async () => {
    const page = await session.open("/library/books#chart=bar&x=kind");
    await page.locator(PICTURE).waitFor();
    await page.evaluate(`
      location.hash = "#chart=line&x=added&y=pages&agg=avg";
      history.replaceState(history.state, "", "#chart=bar&x=kind");
    `);

    await page.locator(`${PICTURE}[aria-label^="line chart"]`).waitFor();
    expect(new URL(page.url()).hash).to.include("chart=line");
  });

  it("keeps its settings in the address after each change of the fragment, for every mark", async () => {
    const page = await session.open("/library/books#chart=bar&x=kind");
    for (const hash of [
      "#chart=line&x=added&y=pages&color=kind&split=kind&agg=avg",
      "#chart=scatter&x=pages&y=year&split=kind",
      "#chart=histogram&x=pages&step=50&split=kind",
      "#chart=bar&x=kind&y=pages&split=year&agg=max",
    ]) {
      await setHash(page, hash);
      const mark = /chart=(\w+)/.exec(hash)?.[1] ?? "";
      await page.locator(`${PICTURE}[aria-label^="${mark} chart"]`).waitFor();
      expect(new URL(page.url()).hash).to.equal(hash);
    }
    expect(session.complaints).to.deep.equal([]);
  });

  it("reads its values by arrow keys, and marks them", async () => {
    const page = await session.open("/library/books#chart=bar&x=kind");
    await page.locator(PICTURE).waitFor();
    await page.focus(".chart-picture");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.locator(".chart-value", { hasText: "poem: 1,067 (2 of 3)" }).waitFor();

    expect(await page.locator(`${PICTURE} .is-read`).count()).to.equal(1);
  });

  it("keeps the mark of the value that is read when it is drawn again", async () => {
    const page = await session.open("/library/books#chart=bar&x=kind");
    await page.locator(PICTURE).waitFor();
    await page.focus(".chart-picture");
    await page.keyboard.press("ArrowDown");
    await page.locator(`${PICTURE} .is-read`).waitFor();
    await page.evaluate(`document.querySelector("${PICTURE}").dataset.isOld = "yes"`);
    await page.setViewportSize({ width: 700, height: 800 });
    await page.locator(`${PICTURE}:not([data-is-old]) .is-read`).waitFor();

    expect(await page.locator(`${PICTURE} .is-read`).count()).to.equal(1);
  });

  it("is saved as SVG and PNG, with the colours of the page and the legend", async () => {
    const page = await session.open("/library/books#chart=bar&x=kind&color=year", { colorScheme: "dark" });
    await page.locator(PICTURE).waitFor();
    const save = async (kind: string): Promise<Buffer> => {
      const [download] = await Promise.all([page.waitForEvent("download"), page.click(`text="${kind}"`)]);
      return readFile(await download.path());
    };
    const svg = String(await save("SVG"));
    const png = await save("PNG");

    expect(svg)
      .to.match(/^<svg xmlns/)
      .and.include("the number of rows by kind")
      .and.include("13 others");
    expect(svg).not.to.include("var(--").and.not.include("<style");
    expect(png.subarray(1, 4).toString()).to.equal("PNG");
    expect(session.complaints).to.deep.equal([]);
  });

  it("has the measure and its aggregate by name, in the address", async () => {
    const page = await session.open("/library/books#chart=bar&x=kind");
    await page.locator(PICTURE).waitFor();
    await page.selectOption("select[name=y]", "pages");
    await page.locator(`${PICTURE}[aria-label="bar chart of sum of pages by kind"]`).waitFor();
    await page.selectOption("select[name=agg]", { label: "Mean" });
    await page.locator(`${PICTURE}[aria-label="bar chart of mean of pages by kind"]`).waitFor();

    expect(new URL(page.url()).hash).to.equal("#chart=bar&x=kind&y=pages&agg=avg");
    expect(await texts(page)).to.include("mean of pages →");
  });

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

  it("has steps of dates with slashes, in the order year, month, day alone", async () => {
    const months = ["2024-01", "2024-02", "2024-03"];
    const query = "?sql=select+*+from+slashed";
    for (const path of ["/library/slashed", `/library${query}`]) {
      const page = await session.open(`${path}#chart=bar&x=day&step=month`);
      expect(await barNames(page), path).to.deep.equal(months);
    }
    const page = await session.open("/library/slashed#chart=bar&x=ambiguous");
    expect(await barNames(page)).to.have.members(["01/15/2024", "02/15/2024", "03/15/2024"]);
  });

  it("has a bar for each integer, with all digits", async () => {
    expect(await session.open("/library/visits#chart=bar&x=account").then(barNames)).to.deep.equal([
      "9007199254740993",
      "9007199254740992",
    ]);
    const page = await session.open("/library/visits#chart=bar&x=place&split=account");
    await page.locator(PICTURE).waitFor();
    expect((await texts(page)).filter((text) => text.startsWith("account: "))).to.have.members([
      "account: 9007199254740993",
      "account: 9007199254740992",
    ]);
  });

  it("of the result of a query shows integers beyond 2^53 with all digits", async () => {
    const result = `/library?sql=${encodeURIComponent("select account, count(*) as n, max(account) as top from visits group by 1")}`;
    const bars = await session.open(`${result}#chart=bar&x=account&y=top&agg=sum`);
    expect(await barNames(bars)).to.deep.equal(["9007199254740992", "9007199254740993"]);
    expect(await tipOf(bars, ".chart-bar rect >> nth=1")).to.include("9,007,199,254,740,993");

    const dots = await session.open(`${result}#chart=scatter&x=n&y=account`);
    await dots.locator(PICTURE).waitFor();
    expect(await tipOf(dots, ".chart-dot circle >> nth=1")).to.include("account 9,007,199,254,740,993");

    const line = await session.open(`${result}#chart=line&x=account&y=n&agg=max`);
    await line.locator(PICTURE).waitFor();
    await line.locator(".chart-values summary").click();
    expect(await line.locator(".chart-values td").allTextContents()).to.deep.equal([
      "9007199254740992",
      "1",
      "9007199254740993",
      "2",
    ]);
  });

  it("has one form for the numbers of an axis, with all their digits", async () => {
    expect(await ticksOf("0 as b union select 2, 250000")).to.include.members(["20K", "80K", "240K"]);
    expect(await ticksOf("1000000 as b union select 2, 1200000")).to.include.members(["1.12M", "1.14M"]);
  });

  it("tells very small values from zero", async () => {
    const sql = encodeURIComponent("select 'a' as k, 0.0000000025 as v union all select 'b', 1234567.5");
    const page = await session.open(`/library?sql=${sql}#chart=bar&x=k&y=v&agg=sum`);
    await page.locator(PICTURE).waitFor();
    await page.click(".chart summary:has-text('Values')");

    const cells = page.locator(".chart tbody td");
    expect((await cells.allTextContents()).toSorted()).to.deep.equal([
      "0.0000000025",
      "1,234,567.5",
      "a",
      "b",
    ]);
  });

  it("shows how many bars it leaves out", async () => {
    const page = await session.open("/library/books#chart=bar&x=tag");
    await page.locator(PICTURE).waitFor();

    expect(await page.locator(".chart .message-warning").textContent()).to.include(
      "The 50 longest of 70 bars.",
    );
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
      const empty = await session.page({ width });
      await recordShifts(empty);
      await empty.goto(`${session.rowhouse.origin}/library/few?kind=none#chart=bar&x=kind`);
      await empty.locator(".empty").waitFor();
      shifts["no rows"] = await shiftsOf(empty);
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
