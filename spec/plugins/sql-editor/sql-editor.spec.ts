import { expect } from "chai";
import { FUNCTIONS } from "../../../plugins/sql-editor/client/sql-words.js";
import { inBrowser, violations } from "../../browser/session.js";

const SQL = `
  create table books (id integer primary key, title text, year integer);
  insert into books values (1, 'Emma', 1815), (2, 'Persuasion', 1817);
`;

describe("the editor for SQL", () => {
  const session = inBrowser({ sql: SQL });

  const open = async (path: string, view = {}) => {
    const page = await session.open(path, view);
    return { page, field: page.locator("textarea.sql"), code: page.locator(".cm-content") };
  };

  it("opens on focus with what the field holds, and completes tables and columns", async () => {
    const { page, field, code } = await open("/library");
    await field.fill("");
    await code.waitFor();

    const take = async (offer: string, key: string): Promise<void> => {
      await page.locator(".cm-tooltip-autocomplete li[aria-selected]", { hasText: offer }).waitFor();
      // The editor takes no key for an answer to what it has only just offered.
      await page.waitForTimeout(150);
      await page.keyboard.press(key);
    };

    await code.pressSequentially("select * from boo");
    await take("books", "Enter");
    await code.pressSequentially(" where books.ti");
    await take("title", "Tab");
    await code.pressSequentially(" > ye");
    await take("year", "Tab");

    expect(await field.inputValue()).to.equal("select * from books where books.title > year");
    expect(session.complaints).to.deep.equal([]);
  });

  it("completes columns before the statement names their table", async () => {
    const { page, field, code } = await open("/library");
    await field.fill("");
    await code.waitFor();
    await code.pressSequentially("select tit");
    await page.locator(".cm-tooltip-autocomplete li", { hasText: "titlebooks" }).waitFor();

    expect(session.complaints).to.deep.equal([]);
  });

  it("keeps the selection that was made while it was loaded", async () => {
    const { page, field, code } = await open("/library?sql=select+title+from+books");
    await page.route("**/chunk-*.js", async (route) => {
      await page.waitForTimeout(500);
      await route.continue();
    });
    await field.focus();
    await page.keyboard.press("Control+a");
    await code.waitFor();
    await page.keyboard.type("values (1)");

    expect(await field.inputValue()).to.equal("values (1)");
  });

  it("keeps to the policy when what is typed takes the place of coloured text", async () => {
    const { page, field, code } = await open("/library?sql=select+title+from+books");
    await field.focus();
    await code.waitFor();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("s");
    await page.locator(".cm-tooltip-autocomplete").waitFor();
    await page.keyboard.type("elect 'a' ");
    await page.keyboard.press("Shift+Home");
    await page.keyboard.type("(");

    expect(await field.inputValue()).to.equal("(select 'a' )");
    expect(session.complaints).to.deep.equal([]);
  });

  it("offers the functions that there are, and no words of other kinds of SQL", async () => {
    const { page, field, code } = await open("/library");
    await field.focus();
    await code.waitFor();
    const offered = async (typed: string): Promise<string[]> => {
      await page.keyboard.press("Control+a");
      await page.keyboard.type(typed);
      await page.locator(".cm-tooltip-autocomplete").waitFor();
      // The list is filled again with each letter.
      await page.waitForTimeout(150);
      return page.locator(".cm-tooltip-autocomplete .cm-completionLabel").allTextContents();
    };

    expect((await offered("select group_c"))[0]).to.equal("group_concat");
    expect((await offered("select json_ext"))[0]).to.equal("json_extract");
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
    expect(await field.inputValue()).to.equal("select json_extract()");
    expect(await offered("select st"))
      .to.include("strftime")
      .and.not.include.members(["static", "start"]);
    expect(await offered("c"))
      .to.include.members(["case", "count"])
      .and.not.include("catalog");
  });

  it("lets the typed parenthesis be the one after a completed function", async () => {
    const { page, field, code } = await open("/library");
    await field.fill("");
    await field.focus();
    await code.waitFor();
    await code.pressSequentially("select count");
    await page.locator(".cm-tooltip-autocomplete li[aria-selected]", { hasText: "count" }).waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
    await page.keyboard.type("*) from books");

    expect(await field.inputValue()).to.equal("select count(*) from books");
  });

  it("offers the words of PostgreSQL for its databases", async () => {
    const { page, field, code } = await open("/library");
    await field.evaluate((element) => element.setAttribute("data-dialect", "postgres"));
    await field.fill("");
    await field.focus();
    await code.waitFor();
    const offered = async (typed: string): Promise<string[]> => {
      await page.keyboard.press("Control+a");
      await page.keyboard.type(typed);
      await page.locator(".cm-tooltip-autocomplete").waitFor();
      await page.waitForTimeout(150);
      return page.locator(".cm-tooltip-autocomplete .cm-completionLabel").allTextContents();
    };

    expect(await offered("select date_t")).to.include("date_trunc");
    expect(await offered("select 1 where a ilik")).to.include("ilike");
    expect(await offered("select 1 where a g"))
      .to.include("greatest")
      .and.not.to.include("glob");
  });

  it("offers only functions that the server's SQLite has", async () => {
    const missing: string[] = [];
    for (const name of FUNCTIONS) {
      const sql = /^json_(each|tree)$/.test(name) ? `select * from ${name}('[]')` : `select ${name}()`;
      const { json } = await session.rowhouse.get(`/library.json?sql=${encodeURIComponent(sql)}`);
      if (/no such|not authorized/.test(String(json.error))) missing.push(name);
    }

    expect(missing).to.deep.equal([]);
  });

  it("runs by Ctrl+Enter", async () => {
    const { page, field, code } = await open("/library");
    await field.fill("select title from books");
    await code.press("Control+Enter");
    await page.waitForURL(/sql=select/);

    expect(await page.locator("tbody td").allTextContents()).to.deep.equal(["Emma", "Persuasion"]);
  });

  it("says that a statement is too long for an address, and keeps it", async () => {
    const { page, field, code } = await open("/library");
    const sql = `select 1 -- ${"é".repeat(10_000)}`;
    await field.fill(sql);
    await code.press("Control+Enter");
    const message = await page.locator(".toast", { hasText: "accepts 60,000" }).textContent();

    expect(message).to.match(/^This was not sent: it would make an address of 60,0\d\d characters/);
    expect(await field.inputValue()).to.equal(sql);
    expect(new URL(page.url()).search).to.equal("");
  });

  it("formats, and leaves alone what it can't read", async () => {
    const { page, field, code } = await open("/library");
    await field.fill("select title, year from books where year > :least");
    await code.waitFor();
    await page.click("text=Format SQL");
    await code.locator(".cm-line").nth(6).waitFor();

    expect(await field.inputValue()).to.equal(
      "select\n  title,\n  year\nfrom\n  books\nwhere\n  year > :least",
    );
    expect((await code.locator(".cm-line").allTextContents()).length).to.equal(7);
  });

  it("is coloured before it opens, and only a text area without scripts", async () => {
    const { page } = await open("/library?sql=select+1");
    const plain = await open("/library?sql=select+1", { scripting: false });

    expect(await page.locator(".sql-coloured .sql-keyword").allTextContents()).to.deep.equal(["select"]);
    expect(await plain.field.inputValue()).to.equal("select 1");
    await plain.page.locator("button", { hasText: "Run SQL" }).click();
    expect(await plain.page.locator("tbody td").allTextContents()).to.deep.equal(["1"]);
  });

  it("is loaded when the field is used, not with the page", async () => {
    const page = await session.page();
    const fetched: string[] = [];
    page.on("request", (request) => fetched.push(request.url()));
    await page.goto(`${session.rowhouse.origin}/library?sql=select+1`, { waitUntil: "networkidle" });
    const early = fetched.filter((url) => url.includes("code-editor"));
    await page.locator("textarea.sql").focus();
    await page.locator(".cm-content").waitFor();

    expect(early).to.deep.equal([]);
    expect(fetched.filter((url) => url.includes("code-editor"))).to.have.length(1);
  });

  for (const colorScheme of ["light", "dark"] as const) {
    it(`is accessible in ${colorScheme} colours`, async () => {
      const { page, field, code } = await open("/library?sql=select+'a',+1+--+c", {
        bypassPolicy: true,
        colorScheme,
      });
      await field.focus();
      await code.waitFor();

      expect(await violations(page)).to.deep.equal([]);
    });
  }
});
