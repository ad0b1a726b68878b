import { EventEmitter, once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { inBrowser, violations, type View } from "../../browser/session.js";
import { workbook } from "./workbook.js";

const SQL = `
  create table books (id integer primary key, title text not null, year integer, price real);
  insert into books values (1, 'Emma', 1815, 2.5);
  create table tags (name text);
`;
const ROOT = { id: "root" };

const choose = async (page: Page, name: string, content: string | Buffer): Promise<void> => {
  await page.setInputFiles("input[type=file]", { name, mimeType: "", buffer: Buffer.from(content) });
  await page.locator("h2 >> text=3. Import").waitFor();
};
const endOf = async (page: Page): Promise<string> => {
  const end = page.locator(".import-step :is(.message, .message-error)").first();
  await end.waitFor();
  return (await end.textContent()) ?? "";
};
const start = (page: Page): Promise<void> => page.click(".import-step button:has-text('Import')");

describe("the page that imports a file", () => {
  const session = inBrowser({ sql: SQL });
  beforeEach(() => session.serve({ sql: SQL }));
  afterEach(() => expect(session.complaints).to.deep.equal([]));

  const open = (path: string, view: View = { as: ROOT }): Promise<Page> => session.open(path, view);
  const tables = async (): Promise<unknown[]> =>
    (
      await session.rowhouse.query(
        "select name from sqlite_schema where type = 'table' and name not like '\\_%' escape '\\'",
      )
    ).map(({ name }) => name);

  it("makes a table of a file, with the types that were found, and takes it back", async () => {
    const page = await open("/library/-/import");
    await choose(page, "New Things.csv", "id;code;price\n1;007;1.5\n9007199254740993;010;2\n");
    await page.getByLabel("Name of code").fill("shelf");
    await start(page);

    expect(await endOf(page)).to.match(/^2 rows imported into new_things in /);
    expect(
      await session.rowhouse.query(
        "select cast(id as text) as id, shelf, typeof(price) as p from new_things",
      ),
    ).to.deep.equal([
      { id: "1", shelf: "007", p: "real" },
      { id: "9007199254740993", shelf: "010", p: "real" },
    ]);
    await page.click("button:has-text('Undo')");
    await page.locator("text=Undone: the table new_things was dropped").waitFor();
    expect(await tables()).to.deep.equal(["books", "tags"]);
  });

  it("makes an empty table of a file that has only names, and adds nothing to a table", async () => {
    for (const path of ["/library/-/import", "/library/books/-/import"]) {
      const page = await open(path);
      await choose(page, "names.csv", "title,year\n");
      await start(page);

      expect(await endOf(page), path).to.match(/^0 rows imported into (names|books) in /);
    }
    const columns = await session.rowhouse.query("select name, type from pragma_table_info('names')");
    expect(columns).to.deep.equal([
      { name: "id", type: "INTEGER" },
      { name: "title", type: "TEXT" },
      { name: "year", type: "TEXT" },
    ]);
    expect(await session.rowhouse.query("select id from books")).to.deep.equal([{ id: 1 }]);
  });

  it("has the button near many columns, each of which can refer to one of many tables", async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`t${index}`, [{ id: 1 }]]));
    await session.serve({ tables: many });
    const page = await open("/library/-/import");
    const names = Array.from({ length: 40 }, (_, index) => `c${index}`);
    await choose(page, "wide.csv", `${names.join()}\n${names.map(() => 1).join()}\n`);
    const height = Number(await page.evaluate("document.documentElement.scrollHeight"));
    const options = await page.locator(".import-columns option").count();
    const refers = page.locator("tr:has-text('c39') select").last();
    await refers.focus();
    await refers.selectOption("t59");
    await start(page);

    expect(await endOf(page)).to.match(/^1 row imported into wide in /);
    expect(height).to.be.below(2_000);
    expect(options).to.be.below(40 * 10);
    const keys = await session.rowhouse.query(`select "from", "table" from pragma_foreign_key_list('wide')`);
    expect(keys).to.deep.equal([{ from: "c39", table: "t59" }]);
  });

  it("maps columns to those of a table, shows the new rows, and deletes them again", async () => {
    const page = await open("/library/books/-/import");
    await choose(page, "more.csv", "Title,Jahr,rest\nEvelina,1778,x\nCecilia,,y\n");
    await page.getByLabel("Jahr goes to").selectOption({ label: "year (integer)" });
    await page.getByLabel("rest goes to").selectOption({ label: "New column rest" });
    await start(page);
    expect(await endOf(page)).to.include("2 rows imported into books");
    expect(await session.rowhouse.query("select title, year, rest from books where id > 1")).to.deep.equal([
      { title: "Evelina", year: 1778, rest: "x" },
      { title: "Cecilia", year: null, rest: "y" },
    ]);
    const link = await page.getByRole("link", { name: "Show the rows" }).getAttribute("href");
    expect(link).to.equal("/library/books?id__gte=2&id__lte=3");
    await page.click("button:has-text('Undo')");
    await page.locator("text=Undone: 2 rows deleted from books.").waitFor();
    expect(await session.rowhouse.query("select id from books")).to.deep.equal([{ id: 1 }]);
  });

  it("deletes no row between the keys of its own, and offers no Undo for rows without a key", async () => {
    await session.serve({
      sql: "create table codes (code numeric primary key); insert into codes values (1.5)",
    });
    const page = await open("/library/codes/-/import");
    await choose(page, "codes.csv", "code\n1\n2\n");
    await start(page);
    await endOf(page);
    await page.click("button:has-text('Undo')");
    await page.locator("text=Undone: 2 rows deleted from codes.").waitFor();
    expect(await session.rowhouse.rows("codes")).to.deep.equal([{ code: 1.5 }]);

    await page.click("button:has-text('another file')");
    await choose(page, "nulls.json", '[{"code": 3}, {"code": null}]');
    await start(page);
    expect(await endOf(page)).to.include("2 rows imported into codes");
    expect(await page.locator("button:has-text('Undo')").count()).to.equal(0);
  });

  it("deletes no rows of a table that has another key meanwhile", async () => {
    await session.serve({ sql: "create table codes (code integer); insert into codes values (2)" });
    const page = await open("/library/codes/-/import");
    await choose(page, "codes.csv", "code\n50\n");
    await start(page);
    await endOf(page);
    const operations = [{ op: "set_primary_key", args: { columns: ["code"] } }];
    await session.rowhouse.post("/library/codes/-/alter", { as: "root", json: { operations } });
    await page.click("button:has-text('Undo')");

    await page.locator(".message-error >> text=The table has another primary key now.").waitFor();
    expect(await session.rowhouse.rows("codes")).to.deep.equal([{ code: 2 }, { code: 50 }]);
  });

  it("gives each column of a table the values of one column of the file", async () => {
    const page = await open("/library/books/-/import");
    await choose(page, "more.csv", "title,name\nEvelina,x\n");
    await page.getByLabel("name goes to").selectOption({ label: "title (text)" });

    expect(await page.getByLabel("title goes to").inputValue()).to.equal("");
    await start(page);
    expect(await endOf(page)).to.include("1 row imported into books");
    expect(await session.rowhouse.query("select title from books where id > 1")).to.deep.equal([
      { title: "x" },
    ]);
  });

  it("names what does not fit before anything is sent, and leaves such rows out", async () => {
    const page = await open("/library/books/-/import");
    await choose(page, "bad.csv", "title,year\nA,1900\nB,abc\nC\n");
    const problems = await page.locator(".import-problems li").allTextContents();
    expect(problems).to.deep.equal([
      "1 row could not be read completely: line 4 has 1 field, not 2",
      "year: “abc” in line 3 is not a number",
    ]);
    expect(await page.locator("button:has-text('Import 3 rows')").isDisabled()).to.equal(true);
    await page.getByLabel("Rows with problems").selectOption({ label: "Leave these rows out" });
    expect(await page.locator(".import-step button:has-text('Import')").textContent()).to.equal(
      "Import the other rows",
    );
    await start(page);
    expect(await endOf(page))
      .to.include("1 row imported")
      .and.include("2 rows of the file left out");
  });

  it("takes dates and words for columns whose declared type is none of numbers", async () => {
    await session.serve({
      sql: "create table loans (id integer primary key, due date, sent datetime, back boolean, fee decimal(5,2))",
    });
    const page = await open("/library/loans/-/import");
    await choose(page, "loans.csv", "due,sent,back,fee\n2024-02-29,2024-03-01 10:00,no,1.5\n,,1,abc\n");
    expect(await page.locator(".import-problems li").allTextContents()).to.deep.equal([
      "fee: “abc” in line 3 is not a number",
    ]);
    await page.getByLabel("Rows with problems").selectOption({ label: "Leave these rows out" });
    await start(page);

    expect(await endOf(page)).to.include("1 row imported into loans");
    expect(await session.rowhouse.rows("loans")).to.deep.equal([
      { id: 1, due: "2024-02-29", sent: "2024-03-01 10:00", back: "no", fee: 1.5 },
    ]);
  });

  it("imports nothing if a row is refused, and names its line", async () => {
    const page = await open("/library/books/-/import");
    await choose(page, "twice.csv", "id,title\n5,A\n1,B\n6,C\n");
    await start(page);
    const end = await endOf(page);
    expect(end).to.include("Nothing was imported").and.include("Line 3: UNIQUE constraint failed: books.id");
    await page.click("button:has-text('Change and try again')");
    await page.getByLabel("If a key exists already").selectOption({ label: "Leave out the new row" });
    await start(page);
    expect(await endOf(page)).to.include("2 rows imported");
    expect(await session.rowhouse.query("select id from books")).to.deep.equal([
      { id: 1 },
      { id: 5 },
      { id: 6 },
    ]);
  });

  it("keeps the rows before a refused one in steps, says which, and takes them back", async () => {
    const page = await open("/library/books/-/import");
    const lines = Array.from({ length: 10_001 }, (_, index) => `${index + 2},T`);
    await choose(page, "steps.csv", `id,title\n${lines.join("\n")}\n1,again\n`);
    await page.getByLabel("If a row is refused").selectOption({ index: 1 });
    await start(page);
    expect(await endOf(page))
      .to.include("10,000 rows are in books. Stopped in lines 10002 to 10003, of which none are stored.")
      .and.include("Line 10003: UNIQUE");
    await page.click("button:has-text('Undo')");
    await page.locator("text=Undone: 10,000 rows deleted from books.").waitFor();
  });

  it("sends rows again whose reply was lost, and stores them once", async () => {
    const page = await open("/library/books/-/import");
    await choose(page, "lost.csv", "title,year\nEvelina,1778\nCecilia,1782\n");
    let attempts = 0;
    await page.route("**/-/insert*", async (route) => {
      attempts += 1;
      // The server stores the rows of the first request; its reply does not arrive.
      if (attempts === 1) await route.fetch();
      await (attempts < 4 ? route.abort("connectionreset") : route.continue());
    });
    await start(page);
    await page.locator("text=The connection was lost. The same rows are sent again").waitFor();
    await page.locator("text=the rows are stored only once").waitFor();
    expect(await session.rowhouse.rows("books")).to.have.length(3);
    await page.click("button:has-text('Try again')");
    expect(await endOf(page)).to.include("2 rows imported into books");
    expect(await session.rowhouse.query("select title from books where id > 1")).to.deep.equal([
      { title: "Evelina" },
      { title: "Cecilia" },
    ]);
    await page.click("button:has-text('Undo')");
    await page.locator("text=Undone: 2 rows deleted from books.").waitFor();
    expect(session.complaints.splice(0).filter((one) => !one.includes("ERR_CONNECTION_RESET"))).to.be.empty;
  });

  it("stops behind the rows that are being stored when it is cancelled, and says how many are", async () => {
    const page = await open("/library/books/-/import");
    const lines = Array.from({ length: 30_000 }, (_, index) => `${index + 2},T`);
    await choose(page, "long.csv", `id,title\n${lines.join("\n")}\n`);
    await page.getByLabel("If a row is refused").selectOption({ index: 1 });
    const cancelled = new EventEmitter();
    const isCancelled = once(cancelled, "click");
    await page.route("**/-/insert*", async (route) => {
      await isCancelled;
      await route.continue();
    });
    await start(page);
    await page.click("button:has-text('Cancel')");
    cancelled.emit("click");
    expect(await endOf(page)).to.equal("Cancelled. 10,000 rows are in books.");
    expect(await session.rowhouse.query("select count(*) as n from books")).to.deep.equal([{ n: 10_001 }]);
  });

  it("stays in sight with its end and Undo if another file is chosen meanwhile", async () => {
    const page = await open("/library/books/-/import");
    await choose(page, "more.csv", "title\nEvelina\n");
    const gate = new EventEmitter();
    const opened = once(gate, "open");
    await page.route("**/-/insert?*", (route) => opened.then(() => route.continue()));
    await start(page);
    await page.locator(".import-progress").waitFor();
    await page.setInputFiles("input[type=file]", {
      name: "other.csv",
      mimeType: "",
      buffer: Buffer.from("title\nCecilia\n"),
    });
    await page.locator(".import-status.message-error", { hasText: "An import is running" }).waitFor();
    gate.emit("open");

    expect(await endOf(page)).to.match(/^1 row imported into books/);
    expect(await page.locator(".import-status").textContent()).to.match(/^more.csv: 1 row/);
    await page.click("button:has-text('Undo')");
    await page.locator("text=Undone").waitFor();
    expect(await session.rowhouse.rows("books")).to.have.length(1);
  });

  it("says so if the file was changed before it is sent, and leaves no empty table behind", async () => {
    const folder = await mkdtemp(join(tmpdir(), "rowhouse-import-"));
    try {
      const path = join(folder, "places.csv");
      await writeFile(path, "name\nBath\n");
      const page = await open("/library/-/import");
      await page.setInputFiles("input[type=file]", path);
      await page.locator("h2 >> text=3. Import").waitFor();
      await writeFile(path, "name\nBath\nLyme Regis\n");
      await start(page);

      expect(await endOf(page)).to.equal("Nothing was imported.The file could not be read.");
      expect(await tables()).to.deep.equal(["books", "tags"]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("says so if a table that was chosen can't be read", async () => {
    const page = await open("/library/-/import");
    await choose(page, "more.csv", "title\nEvelina\n");
    await page.route("**/-/import.json", (route) => route.abort());
    await page.getByLabel("Import into").selectOption("tags");
    await page.locator(".message-error >> text=The table could not be read.").waitFor();
    expect(await page.getByLabel("Import into").inputValue()).to.equal("");
    session.complaints.length = 0;

    await page.unroute("**/-/import.json");
    await page.getByLabel("Import into").selectOption("tags");
    await page.getByLabel("title goes to").waitFor();
    expect(await page.locator(".message-error").count()).to.equal(0);
  });

  it("waits for the table that was chosen before it can import", async () => {
    const page = await open("/library/-/import");
    await choose(page, "more.csv", "title\nEvelina\n");
    const gate = new EventEmitter();
    const opened = once(gate, "open");
    await page.route("**/-/import.json", (route) => opened.then(() => route.continue()));
    await page.getByLabel("Import into").selectOption("books");
    const button = page.locator(".import-step button:has-text('Import')");
    const isPressed = await button.click({ timeout: 1_000 }).then(
      () => true,
      () => false,
    );
    gate.emit("open");
    await page.getByLabel("title goes to").waitFor();
    await start(page);

    expect(isPressed).to.equal(false);
    expect(await endOf(page)).to.include("1 row imported into books");
    expect(await tables()).to.deep.equal(["books", "tags"]);
  });

  it("says nothing of a file that another one has replaced", async () => {
    const page = await open("/library/-/import");
    const gate = new EventEmitter();
    const opened = once(gate, "open");
    await page.route(/workbook[^/]*\.js$/, (route) => opened.then(() => route.continue()));
    const buffer = Buffer.from("PK\u0003\u0004 damaged");
    await page.setInputFiles("input[type=file]", { name: "damaged.xlsx", mimeType: "", buffer });
    await choose(page, "last.csv", "title\nCecilia\n");
    gate.emit("open");
    await page.waitForLoadState("networkidle");

    expect(await page.locator(".import-status").textContent()).to.match(/^last.csv: 1 row/);
  });

  it("reads workbooks, JSON and pasted rows", async () => {
    const page = await open("/library/-/import");
    await choose(page, "sales.xlsx", workbook());
    expect(await page.getByLabel("Sheet").locator("option").allTextContents()).to.deep.equal([
      "Lists",
      "Sales & more",
      "Empty",
    ]);
    expect(await page.locator(".import-preview tbody tr").first().textContent()).to.equal(
      "40072024-03-010.1true12345678901234567890",
    );
    await choose(page, "list.json", '[{"a": 1}, {"a": 2, "b": {"c": []}}]');
    await page.locator(".import-status >> text=list.json: 2 rows, 2 columns").waitFor();
    await page.click("summary:has-text('Paste rows')");
    await page.getByLabel("Rows, the first").fill("name\tcount\nx\t1\n");
    await page.click("text=Read these rows");
    await page.locator(".import-status >> text=Pasted rows: 1 row, 2 columns").waitFor();
    await page.locator("h2 >> text=3. Import").waitFor();
    await start(page);
    expect(await endOf(page)).to.include("1 row imported into pasted_rows");
  });

  it("takes a file that is dropped, is used by keyboard, and is accessible", async () => {
    const page = await open("/library/tags/-/import", { as: ROOT, bypassPolicy: true });
    const dropped = await page.evaluateHandle(
      `{ const data = new DataTransfer(); data.items.add(new File(["name\\ngreen\\n"], "c.csv")); data; }`,
    );
    await page.dispatchEvent(".drop-zone", "drop", { dataTransfer: dropped });
    await page.locator("h2 >> text=3. Import").waitFor();
    expect(await violations(page)).to.deep.equal([]);
    await page.locator("button:has-text('Import 1 row')").focus();
    await page.keyboard.press("Enter");
    await endOf(page);
    expect(await session.rowhouse.rows("tags")).to.deep.equal([{ name: "green" }]);
    expect(await violations(page)).to.deep.equal([]);
  });

  it("takes pasted CSV where no script runs", async () => {
    const page = await open("/library/tags/-/import", { as: ROOT, scripting: false });
    await page.fill("textarea[name=text]", "name\nred");
    await page.click("button:has-text('Import')");
    await page.waitForURL(/library\/tags$/);

    expect(await session.rowhouse.rows("tags")).to.deep.equal([{ name: "red" }]);
  });

  it("is for those who may insert, or create tables", async () => {
    for (const path of ["/library/-/import", "/library/tags/-/import", "/library/tags/-/import.json"])
      expect((await session.rowhouse.get(path)).status, path).to.equal(403);
    expect((await session.rowhouse.post("/library/tags/-/import", { form: {} })).status).to.equal(403);
  });
});
