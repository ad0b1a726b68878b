import { expect } from "chai";
import { definePlugin } from "rowhouse/plugin-api";
import { rowhouseFor, type TestReply, type TestRowhouse } from "rowhouse/testing";
import { inBrowser, violations, type View } from "../../browser/session.js";
import { describePostgres } from "../../harness/postgres.js";

const PATH = "/library/-/write-sql";
const SQL = `
  create table authors (id integer primary key, name text not null unique);
  create table books (id integer primary key, title text, year integer);
  create table log (what text);
  insert into authors values (1, 'Jane Austen');
  insert into books values (1, 'Emma', 1815), (2, 'Persuasion', 1817), (3, 'Frankenstein', 1818);
  create trigger noted after update on books begin insert into log values (new.title); end;`;
const ROOT = { id: "root" };

/** Texts of the page without markup and repeated spaces. */
const textOf = ({ text }: TestReply): string =>
  text
    .replace(/<\/?code>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&#39;", "'")
    .replace(/\s+/g, " ");

describe("the page for SQL that changes rows", () => {
  let rowhouse: TestRowhouse;
  before(async () => (rowhouse = await rowhouseFor({ sql: SQL })));

  const submit = (form: Record<string, string>, as = "root"): Promise<TestReply> =>
    rowhouse.post(PATH, { as, form });

  it("tries a statement: how many rows it would change, and what it needs and uses", async () => {
    const reply = await submit({ sql: "update books set year = year + 1 where id < 3", action: "try" });

    expect(reply.status).to.equal(200);
    expect(textOf(reply)).to.include("2 rows would change. Nothing has been changed.");
    expect(reply.text).to.match(/<a href="\/library\/books"[^>]*>books<\/a>/);
    expect(textOf(reply))
      .to.match(/ books changed insert-row, update-row, delete-row /)
      .and.to.match(/ log changed noted insert-row, update-row, delete-row /);
    expect(reply.text).to.include(">\nupdate books set year = year + 1 where id &lt; 3</textarea");
    expect((await rowhouse.rows("books"))[0]).to.include({ year: 1815 });
  });

  it("only tries a statement that is sent without one of its buttons", async () => {
    const reply = await submit({ sql: "delete from books" });

    expect(textOf(reply)).to.include("3 rows would change.");
    expect(await rowhouse.rows("books")).to.have.length(3);
  });

  it("runs a statement, and shows the rows of RETURNING in their order", async () => {
    const sql = `insert into authors (id, name) values (9007199254740993, '<Mary>')
      returning name, id, null as "2", x'00ff' as "1", 12.0 as real`;

    const reply = await submit({ sql, action: "run" });

    expect(reply.status).to.equal(200);
    expect(textOf(reply)).to.include("1 row was changed.");
    const headings = [...reply.text.matchAll(/<th scope="col" dir="auto">([^<]*)</g)].map(([, name]) => name);
    expect(headings).to.deep.equal(["name", "id", "2", "1", "real"]);
    expect(reply.text).to.include("&lt;Mary&gt;");
    expect(textOf(reply)).to.match(/ 9007199254740993 +&lt;Binary: 2 bytes&gt; 12\.0 /);
    expect(await rowhouse.rows("authors")).to.have.length(2);
  });

  it("says that only the first rows of RETURNING are shown", async () => {
    const sql = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 12)
      insert into log select i from n returning what`;

    expect(textOf(await submit({ sql, action: "try" }))).to.include("Only the first 10 rows are shown.");
  });

  it("has fields for the parameters after the first submit, and runs nothing before they were shown", async () => {
    const sql = "insert into log values (:what || @what || $more)";

    const first = await submit({ sql, action: "run" });
    const second = await submit({ sql, action: "run", ":what": "a", ":more": "it's" });

    expect(first.status).to.equal(200);
    expect(textOf(first)).to.include("Fill in the values of the parameters.");
    expect(first.text)
      .to.match(/name=":what"[^>]* value=""/)
      .and.to.match(/name=":more"/);
    expect(first.text.match(/name=":what"/g)).to.have.length(1);
    expect(textOf(second)).to.include("1 row was changed.");
    expect(second.text).to.include('value="it&#39;s"');
    expect(await rowhouse.rows("log")).to.deep.include({ what: "aait's" });
  });

  it("writes line breaks as they were typed, not as forms send them", async () => {
    await submit({ sql: "insert into log values ('one\r\ntwo')", action: "run" });

    expect(await rowhouse.rows("log")).to.deep.include({ what: "one\ntwo" });
  });

  it("keeps what was typed if the statement fails, and says why above it", async () => {
    const sql = "insert into authors (name) values (:name)";

    const reply = await submit({ sql, action: "run", ":name": "Jane Austen" });

    expect(reply.status).to.equal(400);
    expect(reply.text).to.match(/role="alert"[^]*UNIQUE constraint failed: authors.name[^]*<textarea/);
    expect(reply.text).to.include(`>\n${sql}</textarea`);
    expect(reply.text).to.match(/name=":name"[^>]* value="Jane Austen"/);
  });

  it("says what it takes if nothing was typed", async () => {
    const reply = await submit({ sql: " ", action: "run" });

    expect(reply.status).to.equal(400);
    expect(textOf(reply)).to.include("Write an INSERT, UPDATE or DELETE statement.");
  });

  for (const sql of [
    "select * from books where id = :id",
    "with b as (select * from books) select * from b where id = :id",
  ])
    it(`leads to the page for reading: ${sql}`, async () => {
      const reply = await submit({ sql, action: "try", ":id": "2" });

      expect(reply.status).to.equal(400);
      expect(textOf(reply)).to.include("This statement only reads.");
      const [, href = ""] = /<a href="([^"]*\?sql=[^"]*)"/.exec(reply.text) ?? [];
      const read = await rowhouse.get(href.replaceAll("&amp;", "&"), { as: "root" });
      expect(read.text).to.include("Persuasion");
    });

  it("does not lead there from a statement that would change rows", async () => {
    const reply = await submit({ sql: "with b as (select 1 as id) delete from b", action: "try" });

    expect(reply.status).to.equal(400);
    expect(textOf(reply)).to.not.include("This statement only reads.");
  });

  it("leads to no page for reading where the actor may not use it", async () => {
    const closed = await rowhouseFor({ sql: SQL, settings: { default_allow_sql: false } });

    const reply = await closed.post(PATH, { as: "root", form: { sql: "select 1" } });

    expect(reply.text).to.not.include("?sql=");
    expect(textOf(reply)).to.include("Statement must be an INSERT, UPDATE or DELETE");
  });

  it("is in the menu of the database and in the jump menu, for actors with the permission", async () => {
    const link = `href="${PATH}"`;
    const jump = async (as: string): Promise<unknown> =>
      (await rowhouse.get("/-/jump.json?q=change+rows+sql", { as })).json.matches;

    expect((await rowhouse.get("/library", { as: "root" })).text).to.include(link);
    expect((await rowhouse.get("/library", { as: "ann" })).text).to.not.include(link);
    expect(await jump("root")).to.deep.include({
      kind: "command",
      label: "Change rows with SQL",
      detail: "library",
      href: PATH,
    });
    expect(await jump("ann")).to.deep.equal([]);
  });

  it("is 403 without the permission, and without the CSRF token of the form", async () => {
    const refused = await rowhouse.get(PATH, { as: "ann" });
    const posted = await submit({ sql: "delete from books", action: "run" }, "ann");
    const forged = await submit({ csrftoken: "wrong", sql: "delete from books", action: "run" });

    expect([refused.status, posted.status, forged.status]).to.deep.equal([403, 403, 403]);
    expect(textOf(refused)).to.include("need execute-write-sql");
    expect(await rowhouse.rows("books")).to.have.length(3);
  });

  it("is 404 for other databases and 405 for other methods, and has no JSON", async () => {
    const statuses = await Promise.all([
      rowhouse.get("/none/-/write-sql", { as: "root" }),
      rowhouse.get(`${PATH}.json`, { as: "root" }),
      rowhouse.request("PUT", PATH, { as: "root", form: {} }),
    ]);

    expect(statuses.map(({ status }) => status)).to.deep.equal([404, 404, 405]);
  });

  it("does not exist for immutable databases", async () => {
    const fixed = await rowhouseFor({ sql: SQL, immutable: ["library"] });

    expect((await fixed.get(PATH, { as: "root" })).status).to.equal(404);
    expect((await fixed.post(PATH, { as: "root", form: { sql: "delete from books" } })).status).to.equal(404);
    expect((await fixed.get("/library", { as: "root" })).text).to.not.include("write-sql");
  });

  it("completes only tables that the actor may see completely", async () => {
    const closed = await rowhouseFor({
      sql: SQL,
      metadata: { databases: { library: { tables: { log: { allow: { id: "ann" } } } } } },
      plugins: [
        definePlugin({
          name: "own-rows",
          read_scope: () => ({ table: "authors", where: "id > 1" }),
        }),
      ],
    });

    const { text } = await closed.get(PATH, { as: "root" });

    const [, schema = ""] = /data-schema="([^"]*)"/.exec(text) ?? [];
    expect(JSON.parse(schema.replaceAll("&quot;", '"'))).to.deep.equal({ books: ["id", "title", "year"] });
  });

  it("completes only the names of tables if there are very many columns", async () => {
    const columns = Array.from({ length: 1900 }, (_, index) => `column_with_a_long_name_${index}`);
    const wide = await rowhouseFor({ sql: `create table wide (${columns.join(", ")})` });

    const { text } = await wide.get(PATH, { as: "root" });

    expect(text).to.include('data-schema="{&quot;wide&quot;:[]}"');
  });

  it("is in German", async () => {
    const headers = { "accept-language": "de" };
    const form = { sql: "delete from books", action: "try" };

    const reply = await rowhouse.post(PATH, { as: "root", headers, form });

    expect(textOf(reply))
      .to.include("Zeilen mit SQL ändern")
      .and.include("3 Zeilen würden sich ändern. Noch ist nichts geändert.");
  });
});

describePostgres("the page for SQL that changes rows, of a PostgreSQL database", (server) => {
  it("is not offered, because the server does not say which tables a statement changes", async () => {
    const uri = await server().createDatabase("create table books (id integer primary key)");
    const rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });

    const { status, text } = await rowhouse.get("/shop/-/write-sql", { as: "root" });

    expect(status).to.equal(404);
    expect(text).to.include("SQL that changes rows can&#39;t be run in databases of this kind");
    expect((await rowhouse.get("/shop", { as: "root" })).text)
      .to.include("/shop/-/new-table")
      .and.not.include("write-sql");
    const api = await rowhouse.post("/shop/-/execute-write", {
      as: "root",
      json: { sql: "delete from books" },
    });
    expect(api.status).to.equal(403);
    expect(api.json).to.deep.equal({
      ok: false,
      errors: ["Permission denied: the tables that this statement uses cannot be determined"],
    });
  });
});

describe("the page for SQL that changes rows, in a browser", () => {
  const session = inBrowser({ sql: SQL });
  beforeEach(() => session.serve({ sql: SQL }));

  const open = (view: View = {}) => session.open(PATH, { as: ROOT, ...view });

  it("works without scripts", async () => {
    const page = await open({ scripting: false });
    await page.getByLabel("SQL").fill("update books set title = :title where id = 1");
    await page.getByRole("button", { name: "Try" }).click();
    await page.getByLabel("title").fill("Emma, again");
    await page.getByRole("button", { name: "Try" }).click();
    await page.getByText("1 row would change.").waitFor();
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("1 row was changed.").waitFor();

    expect((await session.rowhouse.rows("books"))[0]).to.include({ title: "Emma, again" });
  });

  it("adds the fields of parameters while they are typed into the editor, and keeps their values", async () => {
    const page = await open();
    await page.locator("textarea.sql").focus();
    const code = page.locator(".cm-content");
    await code.waitFor();
    await page.keyboard.type("update books set title = :title");
    await page.getByLabel("title").fill("Same");
    await code.press("Control+End");
    await page.keyboard.type(", year = :year where id = 2");
    await page.getByLabel("year").fill("1900");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText("1 row was changed.").waitFor();

    expect((await session.rowhouse.rows("books"))[1]).to.include({ title: "Same", year: 1900 });
    expect(await page.getByLabel("year").inputValue()).to.equal("1900");
    expect(session.complaints).to.deep.equal([]);
  });

  it("tries by Ctrl+Enter, and completes words of statements that write", async () => {
    const page = await open();
    await page.locator("textarea.sql").focus();
    const code = page.locator(".cm-content");
    await code.waitFor();
    await page.keyboard.type("upda");
    await page.locator(".cm-tooltip-autocomplete li[aria-selected]", { hasText: "update" }).waitFor();
    await code.press("Control+a");
    await page.keyboard.type("delete from books ");
    await code.press("Control+Enter");
    await page.getByText("3 rows would change.").waitFor();

    expect(await session.rowhouse.rows("books")).to.have.length(3);
  });

  for (const colorScheme of ["light", "dark"] as const)
    it(`is accessible in ${colorScheme} colours, with a result and with an error`, async () => {
      const page = await open({ bypassPolicy: true, colorScheme });
      const found = [await violations(page)];
      for (const sql of ["update books set year = 1 returning *", "update nothing set year = :a"]) {
        await page.locator("textarea.sql").evaluate((field, text) => {
          (field as unknown as { value: string }).value = text;
        }, sql);
        await page.getByRole("button", { name: "Try" }).click();
        await page.locator(".content [role=status], .content [role=alert]").waitFor();
        found.push(await violations(page));
      }

      expect(found).to.deep.equal([[], [], []]);
    });
});
