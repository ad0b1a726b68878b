import { expect } from "chai";
import type { Page } from "playwright-core";
import { inBrowser, violations } from "./session.js";

const SQL = `
  create table kinds (id integer primary key, name text);
  insert into kinds values (1, 'Novel'), (2, 'Play');
  create table books (id integer primary key, title text not null, kind integer references kinds(id), year integer);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 40)
    insert into books select i, 'Book ' || i, i % 2 + 1, 1800 + i % 3 from n;
  create virtual table books_fts using fts5(title, content='books');
`;
const METADATA = { databases: { library: { tables: { books: { facets: ["kind"] } } } } };
const root = { id: "root" };

/** Something that is opened on the page of the books, the element that contains it, and how to open it. */
type Opened = readonly [within: string, open: (page: Page) => Promise<unknown>];

const press =
  (selector: string): Opened[1] =>
  (page) =>
    page.locator(selector).first().click();

async function edit(page: Page): Promise<void> {
  await page.locator("table.is-editable").waitFor();
  await page.locator("tbody td.col-title").nth(5).dblclick();
  await page.locator("td.is-edited :is(input, textarea)").waitFor();
}

async function save(page: Page): Promise<void> {
  await edit(page);
  await page.locator("td.is-edited :is(input, textarea)").fill("Changed");
  await page.keyboard.press("Enter");
  await page.locator(".toast button >> text=Undo").waitFor();
}

const selectAnd =
  (action: string): Opened[1] =>
  async (page) => {
    await page.locator("thead .row-check").check();
    await page.click(`.selection-bar >> text=${action}`);
    await page.locator(".edit-dialog").waitFor();
  };

/** The dialog with what another client has changed. */
async function deleteChanged(page: Page): Promise<void> {
  const body = JSON.stringify({ update: { title: "Theirs" } });
  await page.evaluate(
    `fetch("/library/books/2/-/update", { method: "POST", headers: { "content-type": "application/json" },
      body: ${JSON.stringify(body)} })`,
  );
  await selectAnd("Delete")(page);
  await page.locator(".change-notes li").waitFor();
}

async function paste(page: Page): Promise<void> {
  await page.click(".actions-menu > summary");
  await page.click("text=Paste rows");
  await page.fill(".edit-dialog textarea", "title\tkind\nOne\t1\nTwo\tx");
  await page.keyboard.press("Control+Enter");
  await page.locator(".paste-preview").waitFor();
}

async function jump(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.waitForSelector('.jump-dialog [aria-selected="true"]');
}

const STATES: readonly Opened[] = [
  [".site-menu", press(".site-menu summary")],
  [".jump-dialog", jump],
  [".actions-menu", press(".actions-menu > summary")],
  [".filter-menu", press(".filter-menu > summary")],
  [".facet-menu", press(".facet-menu > summary")],
  [".columns-menu", press(".columns-menu > summary")],
  [".export-menu", press(".export-menu > summary")],
  [".browse", press("th.col-title .column-menu summary")],
  [".row-menu", press("tbody .row-menu-button")],
  [".browse", edit],
  [".toast", save],
  [".selection-bar", press("tbody .row-check")],
  [".edit-dialog", deleteChanged],
  [".edit-dialog", selectAnd("Set a value")],
  [".edit-dialog", paste],
];

const MENUS = [".site-menu", ".actions-menu", ".filter-menu", ".facet-menu", ".columns-menu", ".export-menu"];

/** Of an element that has just been opened: scripts may move it until the next frame. */
async function edgesOf(
  page: Page,
  selector: string,
): Promise<{ readonly left: number; readonly right: number }> {
  await page.evaluate(
    "new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))",
  );
  const box = await page.locator(selector).boundingBox();
  if (box === null) throw new Error(`${selector} is not shown`);
  return { left: box.x, right: box.x + box.width };
}

/** What axe finds wrong in an element, in both themes. */
async function wrongWithin(page: Page, within: string): Promise<readonly string[]> {
  const found = await violations(page, [], within);
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  const inDark = await violations(page, ["color-contrast"], within);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  return [...found, ...inDark.map((what) => `dark: ${what}`)].map((what) => `${within}: ${what}`);
}

describe("what opens on a page", () => {
  afterEach(() => expect(session.complaints).to.deep.equal([]));
  const session = inBrowser({ sql: SQL, metadata: METADATA });

  it("is accessible in both themes: menus, dialogs, messages and editors", async () => {
    const page = await session.open("/library/books?year__gt=1", { as: root, bypassPolicy: true });
    await page.locator("tbody .row-check").first().waitFor();
    const found: string[] = [];
    for (const [within, open] of STATES) {
      await open(page);
      found.push(...(await wrongWithin(page, within)));
      await page.keyboard.press("Escape");
    }

    expect(found).to.deep.equal([]);
  }).timeout(600_000);

  it("stays in the window, however wide that is: menus", async () => {
    const page = await session.page({ as: root });
    const outside: string[] = [];
    for (const width of [390, 700, 1000, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${session.rowhouse.origin}/library/books?year__gt=1`);
      await page.locator("tbody .row-check").first().waitFor();
      for (const menu of MENUS) {
        await page.click(`${menu} > summary`);
        const { left, right } = await edgesOf(page, `${menu} > .menu-panel`);
        if (left < 0 || right > width) outside.push(`${menu} at ${width}: ${left} to ${right}`);
        await page.keyboard.press("Escape");
      }
    }

    expect(outside).to.deep.equal([]);
  });

  it("is accessible in both themes in small multiples of a chart", async () => {
    const view = { as: root, bypassPolicy: true } as const;
    const page = await session.open("/library/books#chart=bar&x=kind&split=year", view);
    await page.locator(".chart-picture svg[role=img].chart-split > svg").first().waitFor();

    expect(await wrongWithin(page, "section.chart")).to.deep.equal([]);
  });

  it("is accessible in both themes in the steps of an import", async () => {
    const page = await session.open("/library/books/-/import", { as: root, bypassPolicy: true });
    const buffer = Buffer.from("title,year,rest\nEmma,abc,x\n");
    await page.setInputFiles("input[type=file]", { name: "books.csv", mimeType: "text/csv", buffer });
    await page.locator("h2 >> text=3. Import").waitFor();

    expect(await wrongWithin(page, "main")).to.deep.equal([]);
  });
});
