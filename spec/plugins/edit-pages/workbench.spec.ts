import { expect } from "chai";
import { setTimeout as delay } from "node:timers/promises";
import type { Page } from "playwright-core";
import { inBrowser, violations, type View } from "../../browser/session.js";

const SQL = `
  create table kinds (id integer primary key, name text);
  insert into kinds values (1, 'Novel'), (2, 'Play');
  create table books (id integer primary key, title text not null, year integer, kind integer references kinds(id),
    state text check (state in ('new', 'sold')));
  insert into books values (1, 'Emma', 1815, 1, 'new'), (2, 'Hamlet', 9007199254740993, 2, 'new'), (3, 'Persuasion', 1817, 1, null),
    (4, 'Othello', 1604, 2, 'sold'), (5, 'Lear', 1606, 2, null), (6, 'Macbeth', 1606, 2, null);
  create table notes (id integer primary key, text text, number integer);
  create table shelves (id integer primary key, name text);
  create table places (id integer primary key, shelf integer references shelves(id) on delete cascade);
  insert into shelves values (1, 'Hall');
  insert into places values (1, 1);
`;
const METADATA = {
  databases: { library: { tables: { books: { permissions: { "insert-row": { id: "ann" } } } } } },
};
const root = { id: "root" };

const told = (page: Page, text: string): Promise<void> => page.locator(`.toast >> text=${text}`).waitFor();
const undo = async (page: Page): Promise<void> => {
  await page.click(".toast >> text=Undo");
  await told(page, "as they were");
};
const paste = async (page: Page, text: string): Promise<void> => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press("Control+v");
  await page.locator(".paste-preview").waitFor();
};

describe("the rows of a table", () => {
  afterEach(() => expect(session.complaints).to.deep.equal([]));
  const session = inBrowser({ sql: SQL, metadata: METADATA });

  const open = async (path = "/library/books", view: View = { as: root }): Promise<Page> => {
    const page = await session.open(path, view);
    await page.locator(".row-check").nth(1).waitFor();
    return page;
  };
  const stored = async (): Promise<string> =>
    (await session.rowhouse.get("/library/books.json?_shape=arrays&_nosuggest=1")).text.replace(
      /"query_ms.*/,
      "",
    );
  it("are deleted together, and come back with all their digits", async () => {
    const page = await open();
    const before = await stored();
    await page.locator(".row-check").nth(2).click();
    await page
      .locator(".row-check")
      .nth(4)
      .click({ modifiers: ["Shift"] });
    await page.click(".selection-bar >> text=Delete");
    await told(page, "3 rows deleted");
    expect(await page.locator("tbody tr").count()).to.equal(3);
    expect((await session.rowhouse.rows("books")).map(({ id }) => id)).to.deep.equal([1, 5, 6]);

    await page.keyboard.press("Control+z");
    await told(page, "as they were");
    expect(await stored()).to.equal(before);
    expect(await page.locator("tbody tr").count()).to.equal(6);
  });

  it("do not come back behind an open dialog", async () => {
    const page = await open();
    await page.locator(".row-check").nth(1).click();
    await page.click(".selection-bar >> text=Delete");
    await told(page, "1 row deleted");
    await page.locator(".row-check").nth(1).click();
    await page.click(".selection-bar >> text=Set a value");
    await page.locator(".edit-dialog select").first().focus();
    const isUndone = told(page, "as they were").then(
      () => true,
      () => false,
    );
    await page.keyboard.press("Control+z");
    expect(await Promise.race([isUndone, delay(1000)])).to.not.equal(true);
    await page.keyboard.press("Escape");

    await page.keyboard.press("Control+z");
    await told(page, "as they were");
    expect(await session.rowhouse.rows("books")).to.have.length(6);
  });

  for (const path of ["/library/books", "/library/books?state=sold"]) {
    it(`come back after all rows of ${path} were deleted`, async () => {
      const page = await open(path);
      const before = await stored();
      const rows = await page.locator("tbody tr").count();
      await page.locator("thead .row-check").click();
      await page.click(".selection-bar >> text=Delete");
      await told(page, rows === 1 ? "1 row deleted" : `${rows} rows deleted`);

      expect(await page.locator("table.rows-and-columns").isVisible()).to.equal(false);
      expect(await page.locator(".empty").textContent()).to.include("0 records");
      await undo(page);
      expect(await stored()).to.equal(before);
      expect(await page.locator("tbody td.type-pk >> visible=true").count()).to.equal(rows);
      expect(await page.locator(".empty").count()).to.equal(0);
      expect((await page.locator(".narrowing").textContent())?.trim()).to.match(/^(?:1|6) rows?/);
    });
  }

  it("get a value together, by keyboard, and are not changed back after another client", async () => {
    const page = await open();
    await page.locator("tbody td.type-pk a").first().focus();
    for (const key of ["Space", "ArrowDown", "ArrowRight", "Space"]) await page.keyboard.press(key);
    await page.locator(".selection-bar >> text=2 rows selected").waitFor();
    await page.locator(".selection-bar >> text=Set a value").focus();
    await page.keyboard.press("Enter");
    await page.locator(".edit-dialog select").first().selectOption("year");
    await page.fill(".edit-dialog [aria-label='Value of year']", "soon");
    await page.keyboard.press("Control+Enter");
    await page.locator(".edit-dialog >> text=is not a number").waitFor();
    await page.fill(".edit-dialog [aria-label='Value of year']", "2000");
    await page.keyboard.press("Control+Enter");
    await told(page, "year set in 2 rows");
    expect((await session.rowhouse.rows("books")).map(({ year }) => year).slice(0, 3)).to.deep.equal([
      2000, 2000, 1817,
    ]);

    const change = { update: { title: "Theirs" } };
    await session.rowhouse.post("/library/books/2/-/update", { as: root, json: change });
    await page.click(".toast >> text=Undo");
    await told(page, "Nothing was undone");
    expect((await session.rowhouse.rows("books"))[0]?.["year"]).to.equal(2000);
  });

  it("keep what another client has changed while a value is chosen, unless it is included", async () => {
    const { rowhouse } = session;
    const theirs = (id: number, title: string) =>
      rowhouse.post(`/library/books/${id}/-/update`, { as: root, json: { update: { title } } });
    const titles = async (): Promise<readonly unknown[]> =>
      (await rowhouse.rows("books")).map(({ title }) => title).slice(0, 3);
    const before = await titles();
    const page = await open();
    await theirs(1, "Earlier");
    for (const index of [0, 1, 2])
      await page
        .locator(".row-check")
        .nth(index + 1)
        .click();
    await page.click(".selection-bar >> text=Set a value");
    await page.locator(".change-notes >> text=Row 1, title").waitFor();
    expect(await page.locator(".change-notes li").innerText()).to.match(/title: .+ Earlier$/);
    await page.locator(".edit-dialog select").first().selectOption("title");
    await page.fill(".edit-dialog [aria-label='Value of title']", "Mine");
    await theirs(2, "Other");
    await page.click(".edit-dialog button[type=submit]");
    await page.locator(".change-notes >> text=left out").waitFor();
    expect(await titles()).to.deep.equal(["Earlier", "Other", before[2]]);
    expect(await page.locator(".change-notes li").innerText()).to.match(/^Row 2, title: .+ Other$/);
    await page.click(".edit-dialog >> text=Change 2 rows");
    await told(page, "title set in 2 rows");
    expect(await titles()).to.deep.equal(["Mine", "Other", "Mine"]);
    await undo(page);

    await page.click(".selection-bar >> text=Set a value");
    await page.fill(".edit-dialog [aria-label='Value of title']", "All");
    await page.locator("tbody >> text=Other").waitFor();
    await theirs(3, before[2] as string);
    await theirs(2, "Again");
    await page.click(".edit-dialog button[type=submit]");
    await page.getByLabel("Change these rows too").check();
    await page.click(".edit-dialog >> text=Change 3 rows");
    await told(page, "title set in 3 rows");
    expect(await titles()).to.deep.equal(["All", "All", "All"]);
  });

  it("are not deleted if another client has changed them, unless they are included", async () => {
    const { rowhouse } = session;
    const theirs = (id: number, title: string) =>
      rowhouse.post(`/library/books/${id}/-/update`, { as: root, json: { update: { title } } });
    const ids = async (): Promise<readonly unknown[]> => (await rowhouse.rows("books")).map(({ id }) => id);
    const page = await open();
    const select = async (...indexes: readonly number[]): Promise<void> => {
      for (const index of indexes) await page.locator("tbody .row-check").nth(index).click();
      await page.click(".selection-bar >> text=Delete");
    };
    await theirs(4, "The Moor");
    const before = await stored();
    await select(3, 4, 5);
    await page.locator(".change-notes >> text=left out").waitFor();
    expect(await page.locator(".change-notes li").innerText()).to.match(/^Row 4, title: .+ The Moor$/);
    expect(await ids()).to.deep.equal([1, 2, 3, 4, 5, 6]);
    await page.click(".edit-dialog button[type=submit] >> text=Delete 2 rows");
    await told(page, "2 rows deleted");
    expect(await ids()).to.deep.equal([1, 2, 3, 4]);
    await undo(page);
    expect(await stored()).to.equal(before);

    // Row 4 is still selected.
    await theirs(4, "Othello");
    await rowhouse.post("/library/books/6/-/delete", { as: root, json: {} });
    await select(4, 5);
    await page.getByLabel("Delete these rows too").check();
    await theirs(5, "King Lear");
    await page.click(".edit-dialog button[type=submit] >> text=Delete 2 rows");
    await page.locator(".edit-dialog >> text=Nothing was deleted yet").waitFor();
    expect(await page.locator(".change-notes li").allInnerTexts()).to.have.length(2);
    const last = await stored();
    await page.getByLabel("Delete these rows too").check();
    await page.click(".edit-dialog button[type=submit] >> text=Delete 2 rows");
    await told(page, "2 rows deleted");
    expect(await ids()).to.deep.equal([1, 2, 3]);
    await undo(page);
    expect(await stored()).to.equal(last);

    await rowhouse.post("/library/books/5/-/delete", { as: root, json: {} });
    await select(4);
    await told(page, "has deleted these rows already");
    const rows = [
      { id: 5, title: "Lear", year: 1606, kind: 2 },
      { id: 6, title: "Macbeth", year: 1606, kind: 2 },
    ];
    await rowhouse.post("/library/books/-/insert", { as: root, json: { rows } });
  });

  it("have a menu, which the keyboard opens and moves in", async () => {
    const page = await open();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const before = await stored();
    await page.locator("tbody td.type-pk a").nth(1).focus();
    await page.keyboard.press("Shift+F10");
    await page.locator("[role=menuitem]:focus >> text=Open").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await told(page, "copied as JSON");
    expect(await page.evaluate("navigator.clipboard.readText()")).to.equal(
      (await session.rowhouse.get("/library/books/2.json?_shape=array&_nl=on")).text.trim(),
    );
    await page.locator("tbody .row-menu-button").nth(4).click();
    await page.click("[role=menuitem] >> text=Delete");
    await told(page, "1 row deleted");
    await undo(page);
    expect(await stored()).to.equal(before);
    await page.locator("tbody .row-menu-button").nth(4).click();
    await page.click("[role=menuitem] >> text=Duplicate");
    await page.waitForURL(/new-row\?from=5/);
    expect(await page.inputValue("#v1")).to.equal("Lear");
    expect(await page.inputValue("#v0")).to.equal("");
  });

  it("take cells of a spreadsheet after a preview, which says what is refused", async () => {
    const page = await open();
    const before = await stored();
    await page.locator("tbody td.type-pk a").nth(3).focus();
    await page.keyboard.press("ArrowRight");
    await paste(page, 'Moor\t1604\t9\tsold\nKing\t1\t2\tbroken\n"a\n""b"""\t2\t2\tsold\nNew\t3\t1\tnew\n');
    const preview = await page.locator(".paste-preview").innerText();
    expect(await page.locator(".edit-dialog [role=status]").textContent()).to.equal(
      "5 values in 2 rows change, 1 row is added, 1 of the values does not fit the column, 1 row is refused.",
    );
    expect(preview).to.include("“9” is not the key of a row of kinds");
    expect(preview).to.include("Refused: CHECK constraint failed");
    expect(await stored()).to.equal(before);

    await page.click("text=Save 3 rows without the refused");
    await told(page, "3 rows pasted");
    const titles = (await session.rowhouse.rows("books")).map(({ title }) => title);
    expect(titles.slice(3)).to.deep.equal(["Moor", "Lear", 'a\n"b"', "New"]);
    await undo(page);
    expect(await stored()).to.equal(before);
  });

  it("are added from a sheet with the names of columns", async () => {
    const page = await open();
    await page.click("text=Actions");
    await page.click("text=Paste rows");
    await page.fill(".edit-dialog textarea", "state\tTitle\nnew\tOne\n\tTwo");
    await page.keyboard.press("Control+Enter");
    await page.click("text=Save 2 rows");
    await told(page, "2 rows pasted");
    const rows = (await session.rowhouse.rows("books")).slice(-2);
    expect(rows.map(({ title, state }) => [title, state])).to.deep.equal([
      ["One", "new"],
      ["Two", null],
    ]);
    await undo(page);
  });

  it("are pasted into a table without rows, and taken back", async () => {
    const page = await session.open("/library/notes", { as: root });
    await page.click("text=Actions");
    await page.click("text=Paste rows");
    await page.fill(".edit-dialog textarea", "One\t1\nTwo\t2");
    await page.keyboard.press("Control+Enter");
    await page.click("text=Save 2 rows");
    await told(page, "2 rows pasted");
    const rows = [
      { id: 1, text: "One", number: 1 },
      { id: 2, text: "Two", number: 2 },
    ];
    expect(await session.rowhouse.rows("notes")).to.deep.equal(rows);
    expect(await page.locator("tbody tr").count()).to.equal(2);
    await undo(page);
    expect(await session.rowhouse.rows("notes")).to.deep.equal([]);
  });

  it("are deleted without a question if they have not changed, and no other row is deleted with them", async () => {
    const form = await session.rowhouse.get("/library/shelves/1/-/remove", { as: "root" });
    expect(form.text).to.not.include("Rows of other tables");
    const page = await session.open("/library/shelves", { as: root });
    await page.locator(".row-check").nth(1).click();
    await page.click(".selection-bar >> text=Delete");
    await page.locator(".toast >> text=Undo").waitFor();

    expect(await session.rowhouse.rows("places")).to.have.length(1);
    await undo(page);
    expect(await session.rowhouse.rows("shelves")).to.deep.equal([{ id: 1, name: "Hall" }]);
  });

  it("offer only what the visitor may do", async () => {
    const page = await session.open("/library/books", { as: { id: "ann" } });
    await page.locator("tbody .row-menu-button").first().click();
    await page.locator("[role=menuitem] >> text=Duplicate").waitFor();
    expect(await page.locator("[role=menuitem]").allTextContents()).to.deep.equal([
      "Open",
      "Copy as JSON",
      "Duplicate",
    ]);
    expect(await page.locator(".row-check").count()).to.equal(0);
    const anonymous = await session.open("/library/books");
    await anonymous.locator("tbody .row-menu-button").first().click();
    expect(await anonymous.locator("[role=menuitem]").allTextContents()).to.deep.equal([
      "Open",
      "Copy as JSON",
    ]);
  });

  it("are accessible while they are selected, pasted and changed, and nothing moves", async () => {
    const page = await open("/library/books", { as: root, bypassPolicy: true, width: 390 });
    await page.locator(".row-check").nth(1).click();
    await page.locator("tbody .row-menu-button").first().click();
    const found = await violations(page);
    await page.keyboard.press("Escape");
    await page.click(".selection-bar >> text=Set a value");
    found.push(...(await violations(page)));
    await page.keyboard.press("Escape");
    await page.locator("tbody td.type-pk a").first().focus();
    await paste(page, "Moor\tabc\t9\tbroken");
    found.push(...(await violations(page)));
    expect(found).to.deep.equal([]);
  });
});
