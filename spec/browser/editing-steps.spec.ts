import { expect } from "chai";
import type { Page } from "playwright-core";
import { inBrowser } from "./session.js";

const SQL = `
  create table books (id integer primary key, title text, year integer);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 30)
    insert into books select i, 'Book ' || i, 1800 + i from n;
`;
const root = { id: "root" };

/** What a visitor does; typing a value with its final key is one step. `steps` counts. */
class Visitor {
  steps = 0;

  constructor(readonly page: Page) {}

  async click(selector: string, options: Parameters<Page["click"]>[1] = {}): Promise<void> {
    this.steps += 1;
    await this.page.click(selector, options);
  }

  async doubleClick(selector: string): Promise<void> {
    this.steps += 1;
    await this.page.dblclick(selector);
  }

  async fill(selector: string, text: string, key: string): Promise<void> {
    this.steps += 1;
    await this.page.fill(selector, text);
    await this.page.press(selector, key);
  }

  async press(key: string): Promise<void> {
    this.steps += 1;
    await this.page.keyboard.press(key);
  }
}

const told = (page: Page, text: string): Promise<void> => page.locator(`.toast >> text=${text}`).waitFor();

describe("the steps of editing", () => {
  const session = inBrowser({ sql: SQL });
  afterEach(() => expect(session.complaints).to.deep.equal([]));

  const begin = async (): Promise<Visitor> => {
    const page = await session.open("/library/books", { as: root });
    await page.locator(".row-check").nth(1).waitFor();
    await page.locator("table.is-editable").waitFor();
    return new Visitor(page);
  };
  const count = async (): Promise<number> => (await session.rowhouse.rows("books")).length;

  it("are 2 for one value, and 1 to undo it", async () => {
    const visitor = await begin();
    await visitor.doubleClick("tbody tr:nth-child(3) td.col-title");
    await visitor.fill("td.is-edited input", "Other", "Enter");
    await told(visitor.page, "title saved");
    expect(visitor.steps).to.equal(2);
    await visitor.press("Control+z");
    await told(visitor.page, "as they were");
    expect(visitor.steps).to.equal(3);
  });

  it("are 3 to delete five rows", async () => {
    const visitor = await begin();
    const before = await count();
    await visitor.click("tbody tr:nth-child(1) .row-check");
    await visitor.click("tbody tr:nth-child(5) .row-check", { modifiers: ["Shift"] });
    await visitor.click(".selection-bar >> text=Delete");
    await told(visitor.page, "5 rows deleted");
    expect([visitor.steps, await count()]).to.deep.equal([3, before - 5]);
  });

  it("keep the keyboard in reach of what comes next", async () => {
    const { page } = await begin();
    const focused = (): Promise<unknown> => page.evaluate("document.activeElement.textContent");
    await page.locator("tbody tr:nth-child(1) .row-check").focus();
    await page.keyboard.press("Space");
    await page.locator(".selection-bar >> text=Delete").focus();
    await page.keyboard.press("Enter");
    await told(page, "1 row deleted");
    expect(await focused()).to.equal("Undo");
    await page.keyboard.press("Enter");
    await told(page, "as they were");
    expect(await focused()).to.equal("Close");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.closest('tbody') !== null")).to.equal(true);
  });

  it("are 5 to set a value in five rows", async () => {
    const visitor = await begin();
    await visitor.click("tbody tr:nth-child(1) .row-check");
    await visitor.click("tbody tr:nth-child(5) .row-check", { modifiers: ["Shift"] });
    await visitor.click(".selection-bar >> text=Set a value");
    visitor.steps += 1;
    await visitor.page.selectOption(".edit-dialog select", "year");
    await visitor.fill("[aria-label='Value of year']", "1900", "Enter");
    await told(visitor.page, "year set in 5 rows");
    expect(visitor.steps).to.equal(5);
  });

  it("are 2 to paste ten rows", async () => {
    const visitor = await begin();
    const before = await count();
    const lines = Array.from({ length: 10 }, (_, index) => `New ${index}\t${1900 + index}`).join("\n");
    await visitor.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await visitor.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(lines)})`);
    await visitor.press("Control+v");
    await visitor.click("text=Save 10 rows");
    await told(visitor.page, "10 rows pasted");
    expect([visitor.steps, await count()]).to.deep.equal([2, before + 10]);
  });
});
