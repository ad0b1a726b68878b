import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { defaultArguments, defaultText } from "../../../plugins/edit-pages/structure/default-text.js";
import { operationsOf } from "../../../plugins/edit-pages/structure/operations.js";
import { emptyLine, type ColumnLine } from "../../../plugins/edit-pages/structure/column-line.js";
import { inBrowser, violations } from "../../browser/session.js";

const SQL = `
  create table kinds (id integer primary key, name text);
  insert into kinds values (1, 'Novel');
  create table books (
    id integer primary key, title text, year integer default 0, state text default 'new' check (state in ('new', 'sold')),
    kind integer references kinds(id) on delete cascade
  );
  insert into books values (1, 'Emma', 1815, 'new', 1);
`;
const ROOT = { id: "root" };

describe("the page of the structure of a table", () => {
  let folder = "";
  const session = inBrowser({ sql: SQL });
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "rowhouse-structure-"));
  });
  beforeEach(() => session.serve({ sql: SQL, options: { internal: join(folder, `${Math.random()}.db`) } }));
  after(() => rm(folder, { recursive: true, force: true }));
  afterEach(() => expect(session.complaints).to.deep.equal([]));

  const schemaOf = async (table: string): Promise<string> =>
    String(
      (await session.rowhouse.query(`select sql from sqlite_schema where name = '${table}'`))[0]?.["sql"],
    );

  it("alters all that a column has, and nothing that was left as it is", async () => {
    const page = await session.open("/library/books/-/structure", { as: ROOT });
    await page.getByLabel("Required of title").check();
    await page.getByLabel("Default of title").fill("it's new");
    await page.getByLabel("Allowed values of state").fill("new, sold, lost");
    await page.getByLabel("Default of year").fill("");
    await page.getByLabel("Position of year").fill("4");
    await page.locator("[name=name5]").fill("parent");
    await page.locator("[name=type5]").selectOption("integer");
    await page.locator("[name=refers5]").selectOption("books");
    await page.click("button:has-text('Another column')");
    await page.locator("[name=name7]").fill("added");
    await page.locator("[name=default7]").fill("current_date");
    await page.locator("[name=holds7]").selectOption("date");
    await page.click("button:has-text('Change table')");
    await page.waitForURL(/library\/books$/);

    expect(await schemaOf("books")).to.equal(
      'CREATE TABLE "books" (\n   id integer primary key,\n' +
        "   title text NOT NULL DEFAULT 'it''s new',\n" +
        "   state text default 'new' CHECK (state IN ('new', 'sold', 'lost')),\n" +
        "   year integer,\n   kind integer references kinds(id) on delete cascade,\n" +
        "   [parent] INTEGER REFERENCES [books]([id]),\n   [added] TEXT DEFAULT CURRENT_DATE\n)",
    );
    const types = await session.rowhouse.rowhouse.service("columnTypes").of("library", "books");
    expect(types?.get("added")?.given.type).to.equal("date");
    expect(await session.rowhouse.query("select title, year, kind from books")).to.deep.equal([
      { title: "Emma", year: 1815, kind: 1 },
    ]);
  });

  it("changes nothing if the columns have changed since the page was loaded", async () => {
    const page = await session.open("/library/books/-/structure", { as: ROOT });
    await page.getByLabel("Drop title").check();
    const operations = [
      { op: "reorder_columns", args: { columns: ["id", "year", "title", "state", "kind"] } },
    ];
    const altered = await session.rowhouse.post("/library/books/-/alter", { as: ROOT, json: { operations } });
    expect(altered.status).to.equal(200);
    const before = await schemaOf("books");
    await page.click("button:has-text('Change table')");
    await page.locator("text=The table has changed since this form was loaded").waitFor();
    expect(await schemaOf("books")).to.equal(before);
    await page.getByLabel("Drop title").check();
    await page.click("button:has-text('Change table')");
    await page.waitForURL(/library\/books$/);
    expect(await schemaOf("books"))
      .to.include("year")
      .and.not.include("title");
  });

  it("keeps spaces and line breaks of names and defaults that were not touched", async () => {
    const sql = `create table " pad " (id integer primary key, " name " text default ' x ', lines text default 'a\nb')`;
    await session.serve({ sql });
    const page = await session.open("/library/~20pad~20/-/structure", { as: ROOT });
    await page.getByLabel("Required of lines").check();
    await page.click("button:has-text('Change table')");
    await page.waitForURL(/pad(?:~20|\+)$/);

    const { columns } =
      (await session.rowhouse.rowhouse.database("library").schema()).tables.get(" pad ") ?? {};
    expect(columns?.map(({ name, defaultSql }) => [name, defaultSql])).to.deep.equal([
      ["id", null],
      [" name ", "' x '"],
      ["lines", "'a\nb'"],
    ]);
    expect(columns?.at(-1)?.notNull).to.equal(true);
  });

  it("shows many columns in a line each, finds one, and completes the name of one of many tables", async () => {
    const tables = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`t${index}`, [{ id: 1 }]]));
    const columns = Array.from({ length: 40 }, (_, index) => `c${index} integer`).join();
    await session.serve({ tables, sql: `create table wide (id integer primary key, ${columns})` });
    const page = await session.open("/library/wide/-/structure", { as: ROOT, width: 390 });
    const box = await page.locator("tr:has([name=name0])").boundingBox();
    const saved = await page.locator("button:has-text('Change table')").boundingBox();
    await page.getByLabel("Find a column").fill("C3");
    await page.keyboard.press("Enter");
    const shown = await page
      .locator("tbody [name^=name]")
      .evaluateAll((fields) => fields.filter((field) => field.checkVisibility()).length);
    await page.getByLabel("More of c33").click();
    await page.getByLabel("Table of c33").fill("t59");
    await page.click("button:has-text('Change table')");
    await page.waitForURL(/library\/wide$/);

    expect(box?.height).to.be.below(60);
    expect(saved?.y).to.be.below(800);
    expect(shown).to.equal(11 + 2);
    expect(await schemaOf("wide")).to.match(/c33\]? integer REFERENCES \[t59\]/);
  });

  it("changes keys and references, and keeps what was typed when it is refused", async () => {
    const page = await session.open("/library/books/-/structure", { as: ROOT, scripting: false });
    await page.getByLabel("Table of kind").selectOption("");
    await page.getByLabel("Key of title").check();
    await page.getByLabel("Allowed values of state").fill("sold");
    await page.click("button:has-text('Change table')");
    await page.locator("[role=alert] >> text=CHECK constraint failed").waitFor();
    expect(await page.getByLabel("Key of title").isChecked()).to.equal(true);
    await page.getByLabel("Allowed values of state").fill("");
    await page.getByLabel("Drop id").check();
    await page.click("button:has-text('Change table')");
    await page.waitForURL(/library\/books$/);

    expect(await schemaOf("books")).to.equal(
      'CREATE TABLE "books" (\n   title text PRIMARY KEY,\n   year integer default 0,\n' +
        "   state text default 'new',\n   kind integer\n)",
    );
  });

  it("creates and drops indexes, and enables search", async () => {
    const page = await session.open("/library/books/-/structure", { as: ROOT });
    await page.getByLabel("Column of the new index").selectOption("year");
    await page.getByLabel("Column 2 of the new index").selectOption("-title");
    await page.click("button:has-text('Create index')");
    await page.locator("text=Index idx_books_year_title created").waitFor();
    expect(await schemaOf("idx_books_year_title")).to.include("([year], [title] DESC)");
    await page.click("button:has-text('Drop') >> nth=0");
    await page.locator("text=Index idx_books_year_title dropped").waitFor();
    await page.click("button:has-text('Enable search')");
    await page.locator("text=Search is enabled for title, state").waitFor();
    await page.click("button:has-text('Disable search')");
    await page.locator("button:has-text('Enable search')").waitFor();
  });

  it("adds, changes and drops checks, and says why one is refused", async () => {
    const page = await session.open("/library/books/-/structure", { as: ROOT, bypassPolicy: true });
    const definition = async (): Promise<string> =>
      String(
        (await session.rowhouse.query("select sql from sqlite_schema where name = 'books'"))[0]?.["sql"],
      );
    const press = async (name: string): Promise<void> => {
      const left = page.waitForEvent("framenavigated");
      await page.locator(`.check-form button:has-text('${name}')`).last().click();
      await left;
      await page.waitForLoadState();
    };
    expect(await page.locator(".check-form").count()).to.equal(1);
    await page.getByLabel("Condition of the new check").fill("year > 1000");
    await press("Add check");
    expect(await definition()).to.include('CHECK ("year" > 1000)');
    await page.locator(".check-form [name=expression]").first().fill("year > (select 1)");
    await page.locator(".check-form button:has-text('Change')").click();
    await page.locator(".message-error >> text=names select").waitFor();
    await page.locator(".check-form [name=expression]").first().fill("year > 1500");
    await press("Change");
    expect(await definition())
      .to.include('CHECK ("year" > 1500)')
      .and.not.include("1000");
    expect(await violations(page)).to.deep.equal([]);
    await press("Drop");
    expect(await definition()).not.to.include("1500");
    session.complaints.length = 0;
  });

  it("has the same fields for a new table", async () => {
    const page = await session.open("/library/-/new-table", { as: ROOT, bypassPolicy: true });
    expect(await violations(page)).to.deep.equal([]);
    await page.fill("input[name=table]", "loans");
    for (const [index, name] of ["book", "day", "state"].entries())
      await page.locator(`[name=name${index}]`).fill(name);
    await page.locator("[name=key1]").check();
    await page.locator("[name=refers0]").selectOption("books");
    await page.locator("[name=required1]").check();
    await page.locator("[name=choices2]").fill("out, back");
    await page.locator("[name=default2]").fill("out");
    await page.click("button:has-text('Create table')");
    await page.waitForURL(/library\/loans$/);

    expect(await schemaOf("loans")).to.equal(
      "CREATE TABLE [loans] (\n   [book] INTEGER REFERENCES [books]([id]),\n   [day] TEXT NOT NULL,\n" +
        "   [state] TEXT DEFAULT 'out' CHECK ([state] IN ('out', 'back')),\n   PRIMARY KEY ([book], [day])\n)",
    );
  });
});

const line = (changes: Partial<ColumnLine>): ColumnLine => ({ ...emptyLine, type: "", ...changes });
const defaults = {
  expressions: {
    current_timestamp: "CURRENT_TIMESTAMP",
    current_date: "CURRENT_DATE",
    current_time: "CURRENT_TIME",
    current_unixtime: "(unixepoch())",
    current_unixtime_ms: "(0)",
  },
  bytes: () => "",
} as const;

describe("the operations of a changed structure", () => {
  it("free a key before its column is dropped, and rename after that", () => {
    const before = [line({ name: "a", isKey: true, position: "1" }), line({ name: "b", position: "2" })];
    const after = [
      line({ name: "a", isKey: true, position: "1", isDropped: true }),
      line({ name: "a", isKey: true, position: "2" }),
    ];
    const edit = { before, after, types: ["TEXT", "TEXT"], table: "t", rename: "u" };

    expect(operationsOf(edit, defaults).map(({ op }) => op)).to.deep.equal([
      "set_primary_key",
      "drop_column",
      "rename_column",
      "set_primary_key",
      "rename_table",
    ]);
    expect(operationsOf({ ...edit, after: before, rename: "t" }, defaults)).to.deep.equal([]);
  });

  it("have defaults as users type them", () => {
    const shown = ["'it''s'", "''", "5", "current_date", "unixepoch()", "'a'::text", "(1 + 1)"].map(
      (defaultSql) => defaultText({ defaultSql } as never, defaults),
    );
    expect(shown).to.deep.equal(["it's", "''", "5", "current_date", "current_unixtime", "a", "(1 + 1)"]);
    expect([
      defaultArguments("5", "INTEGER", defaults),
      defaultArguments("5", "TEXT", defaults),
      defaultArguments("''", "TEXT", defaults),
      defaultArguments("", "TEXT", defaults),
      defaultArguments("current_date", "TEXT", defaults),
    ]).to.deep.equal([
      { default: 5n },
      { default: "5" },
      { default: "" },
      { default: null },
      { default_expr: "current_date" },
    ]);
  });
});
