import { expect } from "chai";
import type { Page } from "playwright-core";
import { inBrowser } from "../../browser/session.js";

const SQL = `
  create table books (id integer primary key, title text, kind integer check (kind > 0));
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 150)
    insert into books select i, 'Book ' || i, i % 2 + 1 from n;
`;
const root = { id: "root" };
const told = (page: Page, text: string): Promise<void> => page.locator(`.toast >> text=${text}`).waitFor();

describe("many selected rows", () => {
  afterEach(() => expect(session.complaints).to.deep.equal([]));
  const session = inBrowser({ sql: SQL });

  const open = async (path: string): Promise<Page> => {
    const page = await session.open(path, { as: root });
    await page.locator(".row-check").nth(1).waitFor();
    return page;
  };

  it("are read together before they are deleted", async () => {
    const page = await open("/library/books?_size=150");
    await page.locator("thead .row-check").click();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.click(".selection-bar >> text=Delete");
    await told(page, "150 rows deleted");

    expect(requests).to.deep.equal([
      "POST /library/books/-/rows",
      "GET /library/books",
      "POST /library/-/batch",
      "GET /library/books",
    ]);
    await page.click(".toast >> text=Undo");
    await told(page, "as they were");
    expect((await session.rowhouse.rows("books")).length).to.equal(150);
  });

  it("have their messages in an element that was there before, which screen readers watch", async () => {
    const page = await open("/library/books");
    await page.evaluate(`(() => {
      const region = document.querySelector('[role=status].toast');
      window.told = [region.checkVisibility(), region.textContent];
      new MutationObserver(() => window.told.push(region.textContent)).observe(region, { childList: true });
    })()`);
    await page.route("**/books/1.json*", (route) => route.abort());
    await page.locator("tbody .row-menu-button").first().click();
    await page.click("[role=menuitem] >> text=Copy as JSON");
    await told(page, "could not be read");

    const [isThere, first, next] = (await page.evaluate("told")) as readonly unknown[];
    expect([isThere, first]).to.deep.equal([true, ""]);
    expect(next).to.match(/^The row could not be read/);
    // The browser reports the aborted request.
    session.complaints.length = 0;
  });

  it("change the figures of facets with them", async () => {
    const page = await open("/library/books?kind=1&_facet=kind&_facet=title");
    await page.locator(".facet >> text=chart").first().waitFor();
    const figures = async (): Promise<readonly string[]> =>
      page.locator("#facet-kind .figures").allInnerTexts();
    const before = await figures();
    await page.locator("thead .row-check").click();
    await page.click(".selection-bar >> text=Set a value");
    await page.locator(".edit-dialog select").first().selectOption("kind");
    await page.fill(".edit-dialog [aria-label='Value of kind']", "2");
    await page.keyboard.press("Control+Enter");
    await told(page, "kind set in 75 rows");

    expect(before).to.deep.equal(["1", "75"]);
    expect(await figures()).to.deep.equal(["0"]);
    expect(await page.locator("#facet-title li").count()).to.equal(0);
    await page.click(".toast >> text=Undo");
    await told(page, "as they were");
    expect(await figures()).to.deep.equal(before);
    expect(await page.locator("#facet-kind >> text=chart").count()).to.equal(1);
  });

  it("say why a value is refused, without the number of an operation", async () => {
    const page = await open("/library/books?_size=2");
    await page.locator("thead .row-check").click();
    await page.click(".selection-bar >> text=Set a value");
    await page.locator(".edit-dialog select").first().selectOption("kind");
    await page.fill(".edit-dialog [aria-label='Value of kind']", "0");
    await page.keyboard.press("Control+Enter");
    const message = page.locator(".edit-dialog >> text=constraint failed");

    expect(await message.innerText()).to.match(/^CHECK constraint failed/);
    // The browser reports the refusal.
    session.complaints.length = 0;
  });
});
