import { expect } from "chai";
import { rowhouseFor } from "rowhouse/testing";
import { inBrowser } from "../../browser/session.js";

const SQL = `
  create table books (id integer primary key, kind text, pages integer, price real, cover blob, note);
  insert into books values
    (1, 'novel', 9007199254740993, 2.0, x'00ff', null), (2, 'novel', 100, 4.0, null, null),
    (3, 'play', 50, null, null, null), (4, '<b>', null, null, null, null);
  create view plays as select * from books where kind = 'play';
`;
const PATH = "/library/books/-/columns";

interface Described {
  readonly name: string;
  readonly most_frequent: readonly unknown[];
}

describe("the columns of a table", () => {
  it("have exact counts, minimum and maximum", async () => {
    const rowhouse = await rowhouseFor({ sql: SQL });
    const reply = await rowhouse.get(`${PATH}.json`);
    const columns = reply.json["columns"] as readonly Described[];
    const [, kind, , price, , note] = columns;

    expect(reply.status).to.equal(200);
    expect(kind).to.include({
      name: "kind",
      type: "TEXT",
      filled: 4,
      distinct: 3,
      min: "<b>",
      max: "play",
      mean: null,
    });
    expect(kind?.most_frequent[0]).to.deep.equal({ value: "novel", count: 2 });
    expect(price).to.include({ filled: 2, distinct: 2, min: 2, max: 4, mean: 3 });
    expect(note).to.include({ filled: 0, distinct: 0, min: null, max: null });
    expect(reply.text).to.include('"max": 9007199254740993').and.include('"mean": 3.0');
  });

  it("are those of the rows that filters select, of views too", async () => {
    const rowhouse = await rowhouseFor({ sql: SQL });
    const filled = async (path: string) => {
      const columns = (await rowhouse.get(path)).json["columns"] as readonly { filled: number }[];
      return columns[0]?.filled;
    };

    expect(await filled(`${PATH}.json?kind=novel`)).to.equal(2);
    expect(await filled("/library/plays/-/columns.json")).to.equal(1);
    expect((await rowhouse.get(`${PATH}.json?nope=1`)).status).to.equal(400);
  });

  it("are remembered until the data changes", async () => {
    const rowhouse = await rowhouseFor({ sql: SQL });
    const before = (await rowhouse.get(`${PATH}.json`)).text;
    await rowhouse.rowhouse
      .database("library")
      .write((transaction) => transaction.run("insert into books (kind) values ('poem')"));
    const after = (await rowhouse.get(`${PATH}.json`)).text;

    expect(before).not.to.include("poem");
    expect(after).to.include('"filled": 5');
  });

  it("have a page whose values link to their rows", async () => {
    const rowhouse = await rowhouseFor({ sql: SQL });
    const { text } = await rowhouse.get(PATH);

    expect(text)
      .to.include('href="/library/books?kind=novel"')
      .and.include("&lt;b&gt;")
      .and.include("2 bytes");
    expect((await rowhouse.get("/library/books")).text).to.include(`href="${PATH}"`);
  });

  it("have a page with links to the rows of each value, in columns without a type too", async () => {
    const values = ["1", "'1'", "0.5", "9e999", "'a'", "cast(x'ff' as text)"];
    const rows = values.flatMap((value) => [`(${value})`, `(${value})`]).slice(0, -1);
    const rowhouse = await rowhouseFor({ sql: `create table t (v); insert into t values ${rows.join()}` });
    const { text } = await rowhouse.get("/library/t/-/columns");

    const links = [...text.matchAll(/<a href="\/library\/t\?([^"]*)"/g)].map(([, query]) => query);
    expect(links).to.have.length(5);
    for (const query of links) {
      const { json } = await rowhouse.get(`/library/t.json?${query}&_size=0`);
      expect(json.filtered_table_rows_count, query).to.equal(2);
    }
  });

  it("have no link for a text that is not UTF-8", async () => {
    const rowhouse = await rowhouseFor({
      sql: "create table t (v text); insert into t values (cast(x'ff' as text)), (cast(x'ff' as text))",
    });

    expect((await rowhouse.get("/library/t/-/columns")).text).not.to.match(/t\?v/);
  });

  it("have a page with the decimal point of its language, but not in texts and links", async () => {
    const sql = "create table t (id integer primary key, price real, name text);";
    const rowhouse = await rowhouseFor({
      sql: `${sql} insert into t values (1, 1.5, '1.5'), (2, 60.25, '2.5'), (3, 60.25, '2.5')`,
    });
    const { text } = await rowhouse.get("/library/t/-/columns", { headers: { "accept-language": "de" } });
    const [, , price, name] = text.split("<tr>").slice(1);

    expect(price)
      .to.include('<bdi title="1.5">1,50</bdi>')
      .and.include('<bdi title="60.25">60,25</bdi>')
      .and.include("40,6667");
    expect(price).to.match(/price=60\.25"[^>]*>60,25</);
    expect(name)
      .to.include("<bdi>1.5</bdi>")
      .and.match(/name=2\.5"[^>]*>2\.5</);
  });

  it("have a page with the numbers as the rows of the table show them, and the stored ones as titles", async () => {
    const sql = `create table cities (id integer primary key, people integer, year integer, area real, mayor references cities);
      insert into cities values (20000, 9007199254740993, 10000, 1234.5, 20000), (10000, 1234, 12000, 1.25, 20000)`;
    const metadata = {
      databases: { library: { tables: { cities: { number_formats: { area: { decimals: 1 } } } } } },
    };
    const rowhouse = await rowhouseFor({ sql, metadata });
    const { text } = await rowhouse.get("/library/cities/-/columns");
    const rows = text.split("<tr>").slice(2);
    const bounds = rows.map((row) => [...row.matchAll(/<bdi[^]*?<\/bdi>/g)].slice(0, 2).map(String));
    const mean = /data-label="Mean">([^<]*)/.exec(rows[2] ?? "")?.[1];

    expect(bounds).to.deep.equal([
      ["<bdi>10000</bdi>", "<bdi>20000</bdi>"],
      ['<bdi title="1234">1,234</bdi>', '<bdi title="9007199254740993">9,007,199,254,740,993</bdi>'],
      ["<bdi>10000</bdi>", "<bdi>12000</bdi>"],
      ['<bdi title="1.25">1.3</bdi>', "<bdi>1234.5</bdi>"],
      ["<bdi>20000</bdi>", "<bdi>20000</bdi>"],
    ]);
    expect(mean).to.equal("11000");
  });

  it("have a mean of six digits, however small or large it is", async () => {
    const means = [0.000012345678, 1.5e-9, 2 / 3, 12345678.9, 1.5e20, 0];
    const names = means.map((_, index) => `c${index}`).join();
    const values = (share: number): string => means.map((mean) => mean * share).join();
    const rowhouse = await rowhouseFor({
      sql: `create table t (${names}); insert into t values (${values(0.5)}), (${values(1.5)})`,
    });
    const { text } = await rowhouse.get("/library/t/-/columns");

    const shown = [...text.matchAll(/data-label="Mean">([^<]*)</g)].map(([, mean]) => mean);
    expect(shown).to.deep.equal(["0.0000123457", "1.5e-9", "0.666667", "12,345,700", "1.5e+20", "0"]);
  });

  it("have a mean with as many digits as it takes to lie between the values", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table t (year integer, exact real, alike real);
        insert into t values (20240114, 0.66666661, 1234567.25), (20240115, 0.66666669, 1234567.25), (20240116, null, null)`,
    });
    const { text } = await rowhouse.get("/library/t/-/columns");

    const shown = [...text.matchAll(/data-label="Mean">([^<]*)</g)].map(([, mean]) => mean);
    expect(shown).to.deep.equal(["20240115", "0.66666665", "1,234,567.25"]);
  });

  it("cut long texts, which have no link, and count the bytes of long BLOBs", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table long (t text, b blob);
        insert into long values (printf('%.*c', 3000, 'x'), zeroblob(3000)), (printf('%.*c', 3000, 'x'), zeroblob(3000))`,
    });
    const { json } = await rowhouse.get("/library/long/-/columns.json");
    const { text } = await rowhouse.get("/library/long/-/columns");
    const cut = `${"x".repeat(2000)}…`;

    expect(json.columns[0]).to.deep.include({
      min: cut,
      max: cut,
      most_frequent: [{ value: cut, count: 2 }],
    });
    expect(json.columns[1].max).to.deep.equal({ bytes: 3000 });
    expect(text).to.include("3,000 bytes").and.not.include("?t=");
  });

  it("show what is blank, and values of any direction beside their headings", async () => {
    const rowhouse = await rowhouseFor({
      sql: `create table notes (note text, size real);
        insert into notes values ('', 1e21), ('', 1e21), ('שלום', 2e21)`,
    });
    const { text } = await rowhouse.get("/library/notes/-/columns");

    expect(text)
      .to.include('<td data-label="Minimum"><bdi>(blank)</bdi></td>')
      .and.include('<td data-label="Maximum"><bdi>שלום</bdi></td>')
      .and.include('href="/library/notes?note="')
      .and.include('<td data-label="Mean">1.33333e+21</td>');
  });

  it("are for those who may view the table", async () => {
    const metadata = { databases: { library: { tables: { books: { allow: { id: "ann" } } } } } };
    const rowhouse = await rowhouseFor({ sql: SQL, metadata });

    expect((await rowhouse.get(`${PATH}.json`)).status).to.equal(403);
    expect((await rowhouse.get(`${PATH}.json`, { as: "ann" })).status).to.equal(200);
  });
});

describe("the page of the columns in a browser", () => {
  const text =
    "select 'a rather long note, as people write them, with much more text' as note, '2024-01-05T10:00:00Z' as at";
  const session = inBrowser({ sql: `create table notes as ${text} union all ${text}` });

  it("shows long values in several lines, and dates in one", async () => {
    const page = await session.open("/library/notes/-/columns");
    const excess =
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.table-wrapper'))";
    const lines = "[...document.querySelectorAll('tbody bdi')].map(({ clientHeight }) => clientHeight > 30)";

    expect(await page.evaluate(excess)).to.equal(0);
    expect(await page.evaluate(lines)).to.deep.equal([true, true, false, false]);
  });
});
