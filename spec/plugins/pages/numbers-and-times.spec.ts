import { expect } from "chai";
import { inBrowser } from "../../browser/session.js";

const SQL = `
  create table sales (id integer primary key, amount real, weight integer, year integer, made text, noted text);
  insert into sales values
    (100000, 12345.5, 1500, 20240, '2024-01-05T23:30:00Z', '2024-01-05 23:30:00'),
    (100001, 0.25, null, null, '2024-07-05T12:00:00.125+00:00', null);
  create table shops (id integer primary key, name text);
  insert into shops values (1, 'Corner');
  create table visits (id integer primary key, shop integer references shops(id), guests integer, at text);
  create table depots (stock integer);
  insert into depots values (12345), (1815);
  insert into visits values
    (1, 7, 12, null), (2, 1, null, '2024-01-05T23:30:00Z'), (3, 7, 3, null), (4, 1, 12345, null);
`;
const metadata = {
  databases: {
    library: {
      tables: {
        sales: { units: { weight: "gram" }, number_formats: { weight: { decimals: 1 } } },
        visits: { units: { guests: "metre" }, number_formats: { guests: { decimals: 1 } } },
      },
      queries: { amounts: { sql: "select amount from sales", number_formats: { amount: { decimals: 3 } } } },
    },
  },
};

describe("numbers and times of a page", () => {
  const session = inBrowser({ sql: SQL, metadata });

  it("are formatted by column, with the stored value as title and in exports", async () => {
    const page = await session.open("/library/sales");
    const cells = (column: string): Promise<string[]> => page.locator(`td.col-${column}`).allTextContents();

    expect(await cells("amount")).to.deep.equal(["12,345.50", "0.25"]);
    expect(await page.locator("td.col-amount span").first().getAttribute("title")).to.equal("12345.5");
    expect(await cells("weight")).to.deep.equal(["1500.0 g", "\u00a0"]);
    expect(await cells("year")).to.deep.equal(["20240", "\u00a0"]);
    expect(await cells("id")).to.deep.equal(["100000", "100001"]);
    const align = "getComputedStyle(document.querySelector('td.col-weight.type-none')).textAlign";
    expect(await page.evaluate(align)).to.equal("end");
    expect((await session.rowhouse.get("/library/sales.csv")).text).to.include("100000,12345.5,1500,20240");
    // A filter reads the unit of the cells.
    const { json } = await session.rowhouse.get("/library/sales.json?weight__gt=1499&_shape=arrayfirst");
    expect(json).to.deep.equal([100000]);
  });

  it("have separators of thousands in a column where one number has", async () => {
    const page = await session.open("/library/depots");
    expect(await page.locator("td.col-stock").allTextContents()).to.deep.equal(["12,345", "1,815"]);
    await page.goto(`${session.rowhouse.origin}/library/depots?_group=stock&_agg=max(stock)`);
    expect(await page.locator("td.numeric").allTextContents()).to.deep.equal(["1,815", "12,345"]);
  });

  it("are formatted alike in facets and in the results of queries", async () => {
    const page = await session.open("/library/sales?_facet=amount&_facet=year");
    const values = page.locator("#facet-amount li > a[rel]");
    expect((await values.allTextContents()).toSorted()).to.deep.equal(["0.25", "12,345.50"]);
    expect(await page.locator("#facet-year li").allInnerTexts()).to.satisfy((texts: string[]) =>
      texts.some((text) => text.startsWith("20240")),
    );
    await values.filter({ hasText: "12,345.50" }).click();
    expect(new URL(page.url()).searchParams.get("amount")).to.equal("12345.5");

    const sql = "select 12345 as total, 1984 as born, 12345 as year, amount from sales";
    await page.goto(`${session.rowhouse.origin}/library?sql=${encodeURIComponent(sql)}`);
    const texts = await page.locator("tbody tr").first().locator("td").allTextContents();
    expect(texts.map((text) => text.trim())).to.deep.equal(["12,345", "1984", "12345", "12,345.50"]);
    expect(await page.locator("tbody td span").first().getAttribute("title")).to.equal("12345");
  });

  it("have the format of a canned query in its results", async () => {
    const page = await session.open("/library/amounts");

    expect(await page.locator("td.col-amount").allTextContents()).to.deep.equal(["12,345.500", "0.250"]);
  });

  it("end where the nulls of their column end, and begin where the labels of other keys begin", async () => {
    const page = await session.open("/library/visits");
    const align = `[...document.querySelectorAll(".col-shop")].map((cell) => getComputedStyle(cell).textAlign)`;
    expect(await page.evaluate(align)).to.deep.equal(["start", "start", "start", "start", "start"]);

    const nothing = `getComputedStyle(document.querySelector("td.col-guests.type-none"), "::after").content`;
    expect(await page.evaluate(nothing)).to.equal('"null"');
  });

  it("are the same where the page of a row shows rows of its table", async () => {
    const page = await session.open("/library/shops/1");
    expect(await page.locator(".linking-rows td.numeric").allTextContents()).to.deep.equal([
      "2",
      "",
      "4",
      "12,345.0 m",
    ]);
  });

  it("are times of the reader's zone if they have one, with the exact time as title", async () => {
    const page = await session.open("/library/sales", { timezone: "Europe/Berlin" });
    const times = page.locator("td.col-made time");
    await times.first().waitFor();

    expect(await times.allTextContents()).to.deep.equal(["2024-01-06 00:30:00", "2024-07-05 14:00:00.125"]);
    expect(await times.first().getAttribute("title")).to.equal("2024-01-05T23:30:00Z");
    expect(await page.locator("td.col-noted").first().textContent()).to.equal("2024-01-05 23:30:00");
    await page.goto(`${session.rowhouse.origin}/library/sales/100000`);
    await page.locator("td.col-made small.ago").waitFor();
    expect(await page.locator("td.col-made time").textContent()).to.equal("2024-01-06 00:30:00");
    await page.goto(`${session.rowhouse.origin}/library/shops/1`);
    await page.locator(".linking-rows time").waitFor();
    expect(await page.locator(".linking-rows time").textContent()).to.equal("2024-01-06 00:30:00");
    expect(session.complaints).to.deep.equal([]);
  });
});
