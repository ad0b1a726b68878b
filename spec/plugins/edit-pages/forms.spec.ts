import { randomBytes } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { rowhouseFor } from "rowhouse/testing";
import { inBrowser, violations, type View } from "../../browser/session.js";

const PIXEL =
  "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082";
const SQL = `
  create table kinds (id integer primary key, name text);
  insert into kinds values (1, 'Novel'), (2, 'Play');
  create table books (id integer primary key, title text not null unique, year integer, kind integer references kinds(id),
    stars integer check (stars < 6), cover blob, seen datetime default '2020-01-01 00:00:00', notes json);
  insert into books values (1, 'Emma', 9007199254740993, 1, 3, x'${PIXEL}', '2024-01-02 03:04:00', null),
    (2, 'Hamlet', 1603, 2, null, null, null, '{}');
`;
const FORMATTED = `{
  "a": [
    1e400,
    12345678901234567890,
    1.0
  ],
  "a": "\\u0041\\/"
}`;
const root = { id: "root" };

const save = async (page: Page): Promise<void> => {
  const left = page.waitForEvent("framenavigated");
  await page.click(".edit-form button[type=submit]");
  await left;
  await page.waitForLoadState();
};

describe("a form for a row", () => {
  const session = inBrowser({ sql: SQL });
  beforeEach(() => session.serve({ sql: SQL }));

  const open = (path: string, view: View = {}): Promise<Page> =>
    session.open(`/library/books/${path}`, { as: root, ...view });
  const stored = async (): Promise<string> =>
    JSON.stringify(
      await session.rowhouse.query("select *, cast(year as text) as exact, hex(cover) from books"),
    );
  it("copies a row with its NULL and its empty text, whatever the defaults of their columns", async () => {
    await session.serve({
      sql: `create table shelves (id integer primary key, room text default 'hall', note text default 'none', name text);
        insert into shelves values (1, null, '', 'A');`,
    });
    const page = await session.open("/library/shelves/-/new-row?from=1", { as: root });
    await save(page);

    expect((await session.rowhouse.rows("shelves"))[1]).to.deep.equal({
      id: 2,
      room: null,
      note: "",
      name: "A",
    });
  });

  it("leaves out texts that are too long to be sent, so that the other values can be changed", async () => {
    await session.serve({
      sql: `create table essays (id integer primary key, title text, draft text, body text, note text);
        insert into essays select 1, 'A', replace(hex(zeroblob(150000)), '0', 'é'), replace(hex(zeroblob(150000)), '0', 'é'), 'b';`,
    });
    const page = await session.open("/library/essays/1/-/edit", { as: root });
    expect(await page.locator("textarea[name=v2]").inputValue()).to.have.length(300_000);
    expect(await page.locator("[name=v3]").count()).to.equal(0);
    await page.fill("[name=v4]", "changed");
    await save(page);

    expect(
      await session.rowhouse.query("select title, length(draft) as d, length(body) as b, note from essays"),
    ).to.deep.equal([{ title: "A", d: 300_000, b: 300_000, note: "changed" }]);
  });

  it("gives all lines of a long text one direction, before it is pasted", async () => {
    const page = await open("-/new-row");
    const field = page.locator("textarea[name=v1]");
    await field.focus();
    const pasted = await page.evaluate(`(() => {
      const area = document.activeElement;
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "12 שלום\\n".repeat(20_000));
      area.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
      return [area.dir, area.value.length];
    })()`);
    await page.evaluate(
      `document.activeElement.value = "Emma"; document.activeElement.dispatchEvent(new Event("input"))`,
    );
    await session.serve({
      sql: "create table essays (id integer primary key, body text); insert into essays values (1, hex(zeroblob(60000)))",
    });
    const stored = await session.rowhouse.get("/library/essays/1/-/edit", { as: root });

    expect(pasted).to.deep.equal(["rtl", 160_000]);
    expect(await field.getAttribute("dir")).to.equal("auto");
    expect(stored.text).to.match(/<textarea [^>]*dir="ltr"/);
  });

  for (const scripting of [true, false]) {
    it(`offers to undo what it saved, added and deleted${scripting ? "" : ", without scripts"}`, async () => {
      const before = await stored();
      const undo = async (page: Page): Promise<void> => {
        await page.click("form.message >> text=Undo");
        await page.locator("text=The change was undone").waitFor();
        expect(await stored()).to.equal(before);
      };
      const page = await open("1/-/edit", { scripting });
      await page.fill("#v1", "Emma, revised");
      await page.fill("#v2", "");
      await save(page);
      await undo(page);
      await page.goto(`${session.rowhouse.origin}/library/books/-/new-row`);
      await page.fill("#v1", "Persuasion");
      await save(page);
      await undo(page);
      await page.goto(`${session.rowhouse.origin}/library/books/1/-/remove`);
      await save(page);
      await undo(page);
      expect(new URL(page.url()).pathname).to.equal("/library/books/1");
    });
  }

  it("offers to undo changes that are too large for a cookie, to the actor who made them", async () => {
    const { rowhouse } = session;
    const large = randomBytes(30_000).toString("hex");
    await rowhouse.post("/library/books/2/-/update", { as: root, json: { update: { notes: large } } });
    const before = await stored();
    const page = await open("2/-/remove");
    const edit = await open("2/-/edit");
    const named = (await edit.locator("h1").innerText()).replace(/^Edit /, "");
    expect(await page.locator("h1").innerText()).to.equal(`Delete ${named}?`);
    await save(page);
    const token = await page.locator("form.message [name=stored]").inputValue();
    const form = { stored: token, back: "/library" };
    await rowhouse.post("/library/-/undo", { as: "ann", form });
    expect(await stored()).not.to.equal(before);
    await page.click("form.message >> text=Undo");
    await page.locator("text=The change was undone").waitFor();
    expect(await stored()).to.equal(before);
    const kept = await rowhouse.get("/_internal/undo_operations.json", { as: root });
    expect(kept.json).to.have.property("rows").that.is.empty;
  });

  it("does not undo what another client has changed since", async () => {
    const page = await open("1/-/edit");
    await page.fill("#v1", "Mine");
    await save(page);
    const json = { update: { title: "Theirs" } };
    await session.rowhouse.post("/library/books/1/-/update", { as: root, json });
    await page.click("form.message >> text=Undo");
    await page.locator(".message-error >> text=Nothing was undone").waitFor();
    expect((await session.rowhouse.rows("books"))[0]?.["title"]).to.equal("Theirs");
  });

  it("keeps values in their columns if the columns have changed since it was loaded", async () => {
    const reorder = async (...columns: string[]): Promise<void> => {
      const operations = [{ op: "reorder_columns", args: { columns } }];
      await session.rowhouse.post("/library/books/-/alter", { as: root, json: { operations } });
    };
    const added = await open("-/new-row");
    await added.fill("#v1", "Persuasion");
    await added.fill("#v2", "1817");
    await reorder("id", "year", "notes", "title");
    await save(added);
    const edited = await open("1/-/edit");
    await edited.fill("#v3", "Emma, revised");
    await reorder("id", "title", "year", "notes");
    await save(edited);
    await edited.locator("text=Another user has changed this row").waitFor();
    await save(edited);

    expect(
      await session.rowhouse.query("select title, cast(year as text) as year from books where id in (1, 3)"),
    ).to.deep.equal([
      { title: "Emma, revised", year: "9007199254740993" },
      { title: "Persuasion", year: "1817" },
    ]);
  });

  it("shows the values of another client beside the own, and keeps the others", async () => {
    const page = await open("2/-/edit", { bypassPolicy: true });
    const json = { update: { title: "Theirs", year: 7 } };
    await session.rowhouse.post("/library/books/2/-/update", { as: root, json });
    await page.fill("#v1", "Mine");
    await page.fill("#v4", "5");
    await save(page);

    expect(await page.locator(".compared output").allTextContents()).to.deep.equal(["Theirs"]);
    expect([await page.inputValue("#v1"), await page.inputValue("#v2")]).to.deep.equal(["Mine", "7"]);
    expect(await violations(page)).to.deep.equal([]);
    await page.click("text=Take this value");
    await save(page);
    const [, row] = await session.rowhouse.rows("books");
    expect(row).to.include({ title: "Theirs", year: 7, stars: 5 });
  });

  it("says at the field what was refused, and what may not be meant", async () => {
    const page = await open("-/new-row", { bypassPolicy: true, scripting: true });
    await page.fill("#v1", "Emma");
    await page.fill("#v2", "abc");
    await page.fill("#v3", "99");
    await save(page);
    const notes = await page.locator(".field-note").allInnerTexts();
    expect(notes.map((note) => note.replace(/\s+/g, " "))).to.deep.equal([
      "“abc” is not a number, but the column is declared as INTEGER. Save anyway",
      "“99” is not the key of a row of kinds. Save anyway",
    ]);
    expect(await page.evaluate("document.activeElement.id")).to.equal("v2");
    expect(await violations(page)).to.deep.equal([]);
    await page.check("[name=ok-year]");
    await page.fill("#v3", "2");
    await page.fill("#v4", "9");
    await save(page);
    expect(await page.locator("#v4 ~ .field-note").innerText()).to.equal("The value must satisfy: stars < 6");
    await page.fill("#v4", "5");
    await save(page);
    expect(await page.locator("#v1 ~ .field-note").innerText()).to.equal("Another row has this value");
    expect(await session.rowhouse.rows("books")).to.have.length(2);
  });

  it("takes, shows and removes files, and leaves them alone otherwise", async () => {
    const page = await open("1/-/edit");
    const size = "document.querySelector('.blob-field img').naturalWidth";
    await page.waitForFunction(`${size} === 1`);
    await page.fill("#v4", "4");
    await save(page);
    expect((await session.rowhouse.query("select hex(cover) as h from books"))[0]?.["h"]).to.equal(
      PIXEL.toUpperCase(),
    );

    const other = await open("2/-/edit");
    const buffer = Buffer.from(PIXEL, "hex");
    await other.setInputFiles("[name=f5]", { name: "a.png", mimeType: "image/png", buffer });
    await other.locator("img.chosen").waitFor();
    await save(other);
    const rows = await session.rowhouse.query("select hex(cover) as h from books");
    expect(rows[1]).to.deep.equal(rows[0]);
    await other.goto(`${session.rowhouse.origin}/library/books/2/-/edit`);
    await other.check("[name=n5]");
    await save(other);
    expect((await session.rowhouse.rows("books"))[1]?.["cover"]).to.equal(null);
  });

  it("shows no picture for bytes that only begin like one", async () => {
    const damaged = "89504e470d0a1a0a00";
    await session.serve({ sql: `${SQL} update books set cover = x'${damaged}' where id = 1;` });
    const page = await open("1/-/edit");
    await page.locator(".blob-field img").waitFor({ state: "detached" });
    expect(await page.locator(".blob-field").innerText()).to.include("9 bytes");

    const chosen = page.locator("img.chosen");
    const choose = (bytes: string) =>
      page.setInputFiles("[name=f5]", {
        name: "a.png",
        mimeType: "image/png",
        buffer: Buffer.from(bytes, "hex"),
      });
    await choose(PIXEL);
    await chosen.waitFor();
    await choose(damaged);
    await chosen.waitFor({ state: "detached" });
  });

  it("has controls for times and JSON, shows defaults and a preview of references", async () => {
    const page = await open("1/-/edit");
    expect(await page.inputValue("#v6")).to.match(/^2024-01-02T03:04/);
    await page.fill("#v6", "2024-01-02T03:05:06");
    await page.fill("#v7", '{"a":[1e400,12345678901234567890,1.0],"a":"\\u0041\\/"}');
    await page.click(".json-state >> text=Format");
    await page.locator(".reference input[role=combobox]").fill("pla");
    await page.locator(".reference-list [aria-selected=true] >> text=Play").waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".reference-preview >> text=Play").waitFor();
    await save(page);
    const [row] = await session.rowhouse.query("select seen, notes, kind from books");
    expect(row).to.deep.equal({ seen: "2024-01-02 03:05:06", notes: FORMATTED, kind: 2 });

    const empty = await open("-/new-row");
    const text = await empty.locator(".edit-form").innerText();
    expect(text).to.include("required").and.to.include("default '2020-01-01 00:00:00'");
    expect(text).to.not.include("Valid JSON");
  });

  it("shows no preview of a row to which the field no longer refers", async () => {
    const page = await open("1/-/edit");
    const field = page.locator(".reference input[role=combobox]");
    await field.fill("pla");
    await page.locator(".reference-list [aria-selected=true] >> text=Play").waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".reference-preview >> text=Play").waitFor();
    await field.fill("1");

    expect(await page.locator(".reference-preview").count()).to.equal(0);
  });
});

describe("the pages of forms", () => {
  it("call only those columns required in which a blank is refused", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table books (id integer primary key, title text not null, pages integer not null);
            insert into books values (1, 'Emma', 474)`,
    });
    const requiredIn = async (page: string): Promise<readonly (string | undefined)[]> => {
      const { text } = await rowhouse.get(`/library/books/${page}`, { as: root });
      return [...text.matchAll(/dir="auto"\s*>(\w+) <small>[^<]*<\/small> <small class="required"/g)].map(
        ([, column]) => column,
      );
    };

    expect(await requiredIn("-/new-row")).to.deep.equal(["title", "pages"]);
    expect(await requiredIn("1/-/edit")).to.deep.equal(["pages"]);
  });

  it("link no table that a foreign key names and the database lacks", async () => {
    const rowhouse = await rowhouseFor({
      sql: `
        create table kinds (id integer primary key, name text);
        create table books (id integer primary key, kind integer references kinds(id), shelf integer references shelves(id));
        insert into books values (1, 1, 1);`,
    });

    for (const page of ["-/new-row", "1/-/edit"]) {
      const { text } = await rowhouse.get(`/library/books/${page}`, { as: root });
      expect(text).to.include('href="/library/kinds"').and.not.include('href="/library/shelves"');
    }
  });

  it("are not found for rows that do not exist, and refuse views", async () => {
    const rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1, title: "Emma" }] },
      views: { titles: "select title from books" },
    });
    const rows = ["/library/books/7/-/edit", "/library/books/7/-/remove"];
    const views = ["new-row", "structure", "remove", "import"].map((form) => `/library/titles/-/${form}`);
    for (const path of [...rows, ...views]) {
      const { status, text } = await rowhouse.get(path, { as: root });
      expect([path, status]).to.deep.equal([path, 404]);
      expect(text).to.include(views.includes(path) ? "This view can&#39;t be changed" : "Row not found: [");
    }
    const { status, text } = await rowhouse.post("/library/books/7/-/edit", {
      as: root,
      form: { title: "Emma" },
      headers: { accept: "text/html" },
    });
    expect([status, text.includes("returns to the form")]).to.deep.equal([404, true]);
  });
});
