import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

const COLUMNS = Array.from({ length: 600 }, (_, index) => `c${index}`);
const NUMBERS = "with recursive n(value) as (select 1 union all select value + 1 from n where value < 300)";
const WIDE = `
  create table wide (id integer primary key, ${COLUMNS.join(", ")});
  ${NUMBERS} insert into wide select value, ${COLUMNS.map(() => "value").join(", ")} from n;`;
const noteOf = (text: string): string =>
  (/<p class="message message-warning rows-note"[^>]*>(.*?)<\/p>/s.exec(text)?.[1] ?? "").replace(
    /<[^>]+>/g,
    "",
  );
const cells = (text: string): number => text.match(/<td /g)?.length ?? 0;

describe("A page of a wide table", () => {
  it("shows the first columns, a note, and a link to all of them", async () => {
    const rowhouse = await rowhouseFor({ sql: WIDE });

    const { text } = await rowhouse.get("/library/wide?_size=3");

    expect(noteOf(text)).to.equal("Showing 500 of 601 columns. The whole result as JSON or CSV.");
    expect(cells(text)).to.equal(3 * 500);
  });

  it("has fewer rows, and the next page continues after them", async () => {
    const rowhouse = await rowhouseFor({ sql: WIDE, settings: { max_html_cells: 6_010 } });

    const { text } = await rowhouse.get("/library/wide");
    const next = /class="next-page[^"]*" href="([^"]+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const following = await rowhouse.get(
      new URL(next, rowhouse.origin).pathname + new URL(next, rowhouse.origin).search,
    );

    expect(noteOf(text)).to.include(
      "A page of so many columns has 10 rows; the next page continues after them.",
    );
    expect(cells(text)).to.equal(10 * 500);
    expect(following.text)
      .to.include('href="/library/wide/11"')
      .and.not.to.include('href="/library/wide/10"');
  });

  it("shows everything without limits", async () => {
    const settings = { max_html_columns: 0, max_html_cells: 0, max_html_kb: 0 };
    const rowhouse = await rowhouseFor({ sql: WIDE, settings });

    const { text } = await rowhouse.get("/library/wide?_size=300");

    expect(noteOf(text)).to.equal("");
    expect(cells(text)).to.equal(300 * 601);
  });

  it("is the same in JSON, whatever the limits of pages", async () => {
    const rowhouse = await rowhouseFor({ sql: WIDE, settings: { max_html_cells: 10 } });

    const { json } = await rowhouse.get("/library/wide.json?_size=300");

    expect(json.rows.length).to.equal(300);
    expect(json.rows[299].length).to.equal(601);
  });
});

describe("A page of long values", () => {
  const sql = `create table notes (id integer primary key, body text);
    ${NUMBERS} insert into notes select value, hex(zeroblob(4000)) from n;`;

  it("ends when its rows reach the limit, and shows how many rows fit", async () => {
    const rowhouse = await rowhouseFor({ sql, settings: { max_html_kb: 64 } });

    const { text } = await rowhouse.get("/library/notes?_size=300");

    expect(noteOf(text)).to.match(
      /^Showing \d+ of 300 rows\. The whole result as JSON or CSV\. Show \d+ rows per page\.$/,
    );
    expect(text.length).to.be.below(100_000);
  });

  it("links from each cut value to its row, which has all of it", async () => {
    const rowhouse = await rowhouseFor({ sql });

    const page = await rowhouse.get("/library/notes?_size=1");
    const row = await rowhouse.get("/library/notes/1");

    expect(page.text).to.include('<a class="whole-value" href="/library/notes/1"');
    expect(row.text).to.include("0".repeat(8_000));
  });

  it("shows and escapes all of a long text on the page of its row, as text from right to left", async () => {
    const text = `<שלום & "${"a<é😀&".repeat(30_000)}'`;
    const rowhouse = await rowhouseFor({ tables: { notes: [{ id: 1, text }] } });

    const row = await rowhouse.get("/library/notes/1");

    const start =
      '<td class="col-text type-str" dir="auto"><div class="long-text" tabindex="0">&lt;שלום &amp; &quot;';
    expect(row.text).to.include(`${start}${"a&lt;é😀&amp;".repeat(30_000)}&#39;</div></td></tr>`);
  });

  it("shortens the label of a foreign key on the page and in the form of a row", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table essays (id integer primary key, text text);
        insert into essays select 1, replace(hex(zeroblob(100000)), '0', 'é');
        create table notes (id integer primary key, essay integer references essays (id));
        insert into notes values (1, 1);`,
    });
    const row = await rowhouse.get("/library/notes/1");
    const form = await rowhouse.get("/library/notes/1/-/edit", { as: "root" });

    expect(row.text).to.match(/<a [^>]*>é{1000}…<\/a>&nbsp;<em>1<\/em>/);
    expect(form.text).to.match(/data-label>é{200}…</);
  });

  it("truncates values of a row that are too large together, and shows a note", async () => {
    const rowhouse = await rowhouseFor({ sql, settings: { max_html_kb: 1 } });

    const { text } = await rowhouse.get("/library/notes/1");

    expect(noteOf(text)).to.equal("Long values are cut. The whole result as JSON.");
    expect(text).to.not.include("0".repeat(3_000));
  });

  it("does not indent JSON that is nested so deeply that the indents would be the page", async () => {
    const nested = "[".repeat(2_500) + "]".repeat(2_500);
    const rowhouse = await rowhouseFor({ tables: { notes: [{ id: 1, text: nested, short: '{"a":[1]}' }] } });

    const { text } = await rowhouse.get("/library/notes/1");

    expect(text).to.include(nested).and.include("&quot;a&quot;: [\n    1\n  ]");
    expect(text.length).to.be.below(100_000);
  });

  it("looks for nested JSON in linear time, also in a text with an open quote", async () => {
    const open = `["${'\\"'.repeat(49_000)}`;
    const columns = Array.from({ length: 60 }, (_, index) => [`c${index}`, open]);
    const rowhouse = await rowhouseFor({ tables: { notes: [{ id: 1, ...Object.fromEntries(columns) }] } });

    expect((await rowhouse.get("/library/notes/1")).status).to.equal(200);
  });

  it("is limited for SQL too", async () => {
    const rowhouse = await rowhouseFor({ sql, settings: { max_html_kb: 64 } });

    const { text } = await rowhouse.get("/library?sql=select+*+from+notes");

    expect(noteOf(text)).to.match(/^Showing \d+ of 300 rows\./);
    expect(text.length).to.be.below(150_000);
  });
});
