import { expect } from "chai";
import type { Page, Route } from "playwright-core";
import { inBrowser } from "../../browser/session.js";

const SQL = `
  create table books (id integer primary key, title text, year integer);
  insert into books values (1, 'Emma', 1815), (2, 'Hamlet', 1603);
`;
const root = { id: "root" };

const cell = (page: Page, row: number, column: string) =>
  page.locator(`tbody tr:nth-child(${row}) td.col-${column}`);
const field = (page: Page) => page.locator("td.is-edited input");

/** Holds back the first requests to `pattern`. @returns what lets them continue */
async function holdBack(page: Page, pattern: string, count = Infinity): Promise<() => void> {
  const waiting: Route[] = [];
  let isHeld = true;
  await page.route(pattern, (route) =>
    isHeld && waiting.length < count ? void waiting.push(route) : route.continue(),
  );
  return () => {
    isHeld = false;
    for (const route of waiting) void route.continue();
  };
}

describe("while a write is underway", () => {
  const session = inBrowser({ sql: SQL });
  beforeEach(() => session.serve({ sql: SQL }));
  const stored = () => session.rowhouse.rows("books");
  const open = async (): Promise<Page> => {
    const page = await session.open("/library/books", { as: root });
    await page.locator("table.is-editable").waitFor();
    return page;
  };

  it("the next cell of the same row waits, and both values are stored", async () => {
    const page = await open();
    const goOn = await holdBack(page, "**/-/batch");
    await cell(page, 1, "title").dblclick();
    await field(page).fill("Emma, revised");
    await cell(page, 1, "year").dblclick();
    await page.keyboard.type("18");
    goOn();
    await page.locator(".toast >> text=title saved").waitFor();
    await field(page).waitFor();
    await page.keyboard.type("16");
    await page.keyboard.press("Enter");
    await page.locator(".toast >> text=year saved").waitFor();

    expect((await stored())[0]).to.deep.equal({ id: 1, title: "Emma, revised", year: 1816 });
  });

  it("a cell takes no more text, which would not be stored", async () => {
    const page = await open();
    const goOn = await holdBack(page, "**/-/batch");
    await cell(page, 1, "title").dblclick();
    await field(page).fill("Emma");
    await page.keyboard.type("!");
    await page.keyboard.press("Enter");
    await page.keyboard.type("?");
    expect(await field(page).inputValue()).to.equal("Emma!");
    goOn();
    await page.locator(".toast >> text=title saved").waitFor();
    expect((await stored())[0]?.["title"]).to.equal("Emma!");
  });

  it("the focus stays where the visitor has gone", async () => {
    const page = await open();
    const goOn = await holdBack(page, "**/-/batch");
    await cell(page, 1, "title").dblclick();
    await field(page).fill("Emma, revised");
    await page.locator("tbody tr:nth-child(2) td.type-pk a").focus();
    goOn();
    await page.locator(".toast >> text=title saved").waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).to.equal("2");
  });

  it("a cell of the row keeps its field if the row is read again, and what was typed can be saved", async () => {
    const page = await open();
    await cell(page, 1, "title").dblclick();
    await field(page).fill("Emma, revised");
    await page.keyboard.press("Enter");
    await page.locator(".toast >> text=title saved").waitFor();
    await cell(page, 1, "year").dblclick();
    await field(page).fill("1816");
    const goOn = await holdBack(page, "**/-/batch", 1);
    await page.click(".toast >> text=Undo");
    await page.locator(".toast >> text=as they were").waitFor();
    goOn();
    await page.locator(".cell-note >> text=Another").waitFor();
    expect(await field(page).inputValue()).to.equal("1816");
    await page.keyboard.press("Enter");
    await page.locator(".toast >> text=year saved").waitFor();
    expect((await stored())[0]).to.deep.equal({ id: 1, title: "Emma", year: 1816 });
  });

  it("a form is not sent a second time", async () => {
    const page = await session.open("/library/books/-/new-row", { as: root });
    await page.fill("#v1", "Persuasion");
    await page.evaluate(`(() => {
      const button = document.querySelector(".edit-form button[type=submit]");
      button.click();
      setTimeout(() => button.click(), 5);
    })()`);
    await page.locator("form.message >> text=Undo").waitFor();
    expect(await stored()).to.have.length(3);
  });
});

describe("if the rows cannot be read again after a write", () => {
  const session = inBrowser({ sql: SQL });
  it("the page keeps its rows, says what was stored, and offers to undo it", async () => {
    const page = await session.open("/library/books", { as: root });
    await page.locator("table.is-editable").waitFor();
    await page.route("**/library/books", (route) => route.fulfill({ status: 503, body: "<h1>Busy</h1>" }));
    await cell(page, 1, "title").dblclick();
    await field(page).fill("Emma, revised");
    await page.keyboard.press("Enter");
    await page.locator(".toast >> text=title saved. The rows of this page could not be read again").waitFor();
    expect(await page.locator("tbody tr").count()).to.equal(2);
    await page.locator(".row-check").first().click();
    await page.click(".selection-bar >> text=Delete");
    await page.locator(".toast >> text=/^The rows of this page could not be read again/").waitFor();
    expect(await page.locator("tbody tr").count()).to.equal(2);
  });

  it("a change whose undoing gets no answer can still be undone", async () => {
    await session.serve({ sql: SQL });
    const page = await session.open("/library/books", { as: root });
    await page.locator("table.is-editable").waitFor();
    await cell(page, 1, "title").dblclick();
    await field(page).fill("Emma, revised");
    await page.keyboard.press("Enter");
    await page.locator(".toast >> text=title saved").waitFor();
    await page.route("**/-/batch", (route) => route.abort());
    await page.click(".toast >> text=Undo");
    await page.locator(".toast >> text=The server did not answer").waitFor();
    await page.unroute("**/-/batch");
    await page.click(".toast >> text=Undo");
    await page.locator(".toast >> text=as they were").waitFor();
    expect((await session.rowhouse.rows("books"))[0]?.["title"]).to.equal("Emma");
  });

  it("a value is set in rows that could not be read at first, and the focus is at Undo if they leave", async () => {
    await session.serve({ sql: SQL });
    const page = await session.open("/library/books?year=1815", { as: root });
    await page.locator(".row-check").nth(1).click();
    await page.route("**/library/books/-/rows*", (route) => route.abort());
    await page.click(".selection-bar >> text=Set a value");
    await page.locator(".edit-dialog [role=alert] >> text=The server did not answer").waitFor();
    await page.unroute("**/library/books/-/rows*");
    await page.locator(".edit-dialog select").selectOption("year");
    await page.getByLabel("value of year").fill("1816");
    await page.keyboard.press("Enter");
    await page.locator(".toast >> text=year set in 1 row").waitFor();
    await page.locator(".edit-dialog").waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).to.equal("Undo");
    expect((await session.rowhouse.rows("books"))[0]?.["year"]).to.equal(1816);
  });
});
