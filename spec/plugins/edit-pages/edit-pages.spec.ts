import { expect } from "chai";
import { inBrowser, violations, type View } from "../../browser/session.js";

const SQL = `
  create table books (id integer primary key, title text not null, pages integer, price real, note text, cover blob);
  insert into books values
    (1, 'Emma', 9007199254740993, 12.0, 'line' || char(10) || 'break', x'ff00'), (2, 'Persuasion', 249, 8.5, null, null);
  create table tags (name text);
`;
const ROOT = { id: "root" };

describe("the pages for editing", () => {
  const session = inBrowser({ sql: SQL });
  // What one test wrote is not there for the next.
  beforeEach(() => session.serve({ sql: SQL }));

  const open = (path: string, view: View = { as: ROOT }) => session.open(path, view);
  const books = (id: number) =>
    session.rowhouse.query(
      `select *, typeof(price) as kind, cast(pages as text) as exact from books where id = ${id}`,
    );

  for (const scripting of [true, false]) {
    describe(scripting ? "with scripts" : "without scripts", () => {
      const view = { as: ROOT, scripting };

      it("add a row, and lead to it", async () => {
        const page = await open("/library/books/-/new-row", view);
        await page.getByLabel("title").first().fill("Sanditon");
        await page.getByLabel("pages").first().fill("9223372036854775807");
        await page.getByLabel("price").first().fill("7");
        await page.click("text=Add row >> nth=-1");
        await page.waitForURL(/library\/books\/3$/);
        const [row] = await books(3);

        expect(row).to.include({
          title: "Sanditon",
          exact: "9223372036854775807",
          price: 7,
          kind: "real",
          note: null,
        });
        expect(await page.locator("body").textContent()).to.include("Row added");
      });

      it("change what was changed and nothing else", async () => {
        const page = await open("/library/books/1", view);
        await page.click("text=Edit this row");
        await page.getByLabel("title").first().fill("Emma, again");
        await page.click("text=Save");
        await page.waitForURL(/library\/books\/1$/);
        const [row] = await books(1);

        expect(row).to.include({
          title: "Emma, again",
          exact: "9007199254740993",
          price: 12,
          note: "line\nbreak",
        });
        expect(row?.["cover"]).to.deep.equal(Buffer.from([0xff, 0]));
      });

      it("delete a row once asked twice", async () => {
        const page = await open("/library/books/2/-/remove", view);
        await page.click("button:has-text('Delete row')");
        await page.waitForURL(/library\/books$/);

        expect(await books(2)).to.deep.equal([]);
      });

      it("create, change and drop a table", async () => {
        const page = await open("/library/-/new-table", view);
        await page.fill("input[name=table]", "shelves");
        await page.locator("input[name=name1]").fill("room");
        await page.click("button:has-text('Create table')");
        await page.waitForURL(/library\/shelves$/);
        await page.goto(`${session.rowhouse.origin}/library/shelves/-/structure`);
        await page.getByLabel("Name of room").fill("place");
        await page.locator("input[name=name2]").fill("height");
        await page.locator("select[name=type2]").selectOption("float");
        await page.click("button:has-text('Change table')");
        await page.waitForURL(/library\/shelves$/);
        const columns = await session.rowhouse.query("select name, type from pragma_table_info('shelves')");
        await page.goto(`${session.rowhouse.origin}/library/shelves/-/remove`);
        await page.fill("input[name=name]", "shelves");
        await page.click("button:has-text('Drop table')");
        await page.waitForURL(/library$/);

        expect(columns.map(({ name, type }) => `${String(name)} ${String(type)}`)).to.deep.equal([
          "id INTEGER",
          "place TEXT",
          "height FLOAT",
        ]);
        expect(
          await session.rowhouse.query("select name from sqlite_schema where name = 'shelves'"),
        ).to.deep.equal([]);
      });
    });
  }

  it("keep what was typed when it is refused, and say why", async () => {
    const page = await open("/library/books/-/new-row");
    await page.getByLabel("pages").first().fill("12");
    await page.getByLabel("Meaning of an empty title").selectOption("default");
    await page.click("text=Add row >> nth=-1");
    await page.locator("[role=alert]").waitFor();

    expect((await page.locator("[role=alert]").innerText()).trim()).to.equal(
      "Not saved. Correct the marked values.",
    );
    expect(await page.locator(".field-note").allInnerTexts()).to.deep.equal(["A value is required"]);
    expect(await page.getByLabel("pages").first().inputValue()).to.equal("12");
  });

  it("do not overwrite a change that another user made meanwhile", async () => {
    const page = await open("/library/books/2/-/edit");
    await page.getByLabel("title").first().fill("Mine");
    await session.rowhouse.rowhouse
      .database("library")
      .write((transaction) => transaction.run("update books set pages = 250 where id = 2"));
    await page.click("text=Save");
    await page.locator("[role=alert]").waitFor();
    const [meanwhile] = await books(2);
    await page.click("text=Save");
    await page.waitForURL(/library\/books\/2$/);
    const [after] = await books(2);

    expect(meanwhile).to.include({ title: "Persuasion" });
    expect(after).to.include({ title: "Mine" });
  });

  it("are neither offered nor open to those who may not write", async () => {
    const page = await open("/library/books", {});
    const paths = [
      "/library/-/new-table",
      ...["new-row", "import", "structure", "remove"].map((name) => `/library/books/-/${name}`),
      ...["edit", "remove"].map((name) => `/library/books/1/-/${name}`),
    ];

    expect(await page.locator("a[href*='/-/new-row']").count()).to.equal(0);
    for (const path of paths) {
      expect((await session.rowhouse.get(path)).status, path).to.equal(403);
      expect((await session.rowhouse.post(path, { form: {} })).status, path).to.equal(403);
    }
  });

  const pages = ["books/-/new-row", "books/1/-/edit", "books/-/structure", "-/new-table"];
  for (const colorScheme of ["light", "dark"] as const) {
    it(`are accessible in ${colorScheme} colours`, async () => {
      for (const path of pages) {
        const page = await open(`/library/${path}`, { as: ROOT, bypassPolicy: true, colorScheme });

        expect(await violations(page), path).to.deep.equal([]);
      }
    });
  }
});
