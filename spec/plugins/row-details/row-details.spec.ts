import { expect } from "chai";
import { agoOf } from "../../../plugins/row-details/client/relative-time.js";
import { rowhouseFor } from "../../harness/index.js";
import { inBrowser, violations } from "../../browser/session.js";

const SQL = `
  create table genres (id integer primary key, name text, added text, big integer);
  insert into genres values (1, 'Novel', '2001-02-03', 9007199254740993), (2, 'Play', null, 1);
  create table books (id integer primary key, title text, genre_id integer references genres(id));
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 9)
    insert into books select i, '<b>Book ' || i, 1 from n;
  alter table books add column price real;
  update books set price = id * 2.5;
  create table files (id integer primary key, picture blob, other blob);
  insert into files values (1, x'89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc000000301010018dd8db00000000049454e44ae426082', x'00ff00ff');
  create table secrets (id integer primary key, text text, genre_id integer references genres(id));
  insert into secrets values (1, 'hush', 1);
  create table documents (id integer primary key, body text);
  insert into documents values (1, '{"a": {"b": [1, 2.50, "x ["], "c": {}}, "d": 12345678901234567890}'), (2, '[${"[1],".repeat(60)}[2]]');
`;
const metadata = { databases: { library: { tables: { secrets: { allow: { id: "ann" } } } } } };

describe("the rows that reference a row", () => {
  it("are shown as far as the actor may read them, each with its link", async () => {
    const rowhouse = await rowhouseFor({ sql: SQL, metadata });
    const { text } = await rowhouse.get("/library/genres/1");
    const [, list = ""] = /<ul class="linking">(.*?)<\/ul>/s.exec(text) ?? [];

    expect(list).to.include('<a href="/library/books/1">1</a>').and.to.include("&lt;b&gt;Book 5");
    expect(list).not.to.include("Book 6");
    expect(list).not.to.include("hush");
    expect((await rowhouse.get("/library/genres/1", { as: "ann" })).text).to.include("hush");
    expect(list).to.include('<td dir="auto" class=" numeric">10.0</td>');
    expect((await rowhouse.get("/library/genres/2")).text).not.to.include("linking-rows");
  });
});

describe("how long ago", () => {
  const now = new Date("2026-03-10T12:00:00Z");
  for (const [text, ago] of [
    ["2026-03-10", "today"],
    ["2026-03-09", "yesterday"],
    ["2025-12-01", "3 months ago"],
    ["2031-03-11", "in 5 years"],
    ["2026-03-10 11:30", "30 minutes ago"],
    ["2026-03-10T11:30:00+02", "2 hours ago"],
    ["2026-03-10T14:00:01.5Z", "in 2 hours"],
    ["2026-13-45", null],
    ["2026-02-30", null],
    ["2026-02-29T10:00", null],
    ["20260310", null],
  ] as const) {
    it(`${text} is: ${ago ?? "no date"}`, () => expect(agoOf(text, now)).to.equal(ago));
  }
});

describe("the values of a row", () => {
  const session = inBrowser({ sql: SQL, metadata });

  it("say how long ago dates are, and are copied exactly", async () => {
    const page = await session.open("/library/genres/1");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.locator(".ago").waitFor();
    await page.locator('[aria-label="Copy big"]').click();
    await page.locator('[aria-label="Copied big"]').waitFor();

    expect(await page.locator("td.col-big").textContent()).to.equal("9,007,199,254,740,993");
    expect(await page.locator(".ago").textContent()).to.match(/years ago$/);
    expect(await page.locator(".ago").getAttribute("title")).to.equal("2001-02-03");
    expect(await page.evaluate("navigator.clipboard.readText()")).to.equal("9007199254740993");
    expect(session.complaints).to.deep.equal([]);
  });

  it("are shown as a picture if they are one", async () => {
    const page = await session.open("/library/files/1");
    await page.locator("td.col-picture img").waitFor();
    await page.waitForLoadState("networkidle");

    expect(await page.locator("td img").count()).to.equal(1);
    expect(await page.locator("td.col-picture").textContent()).to.equal(
      "<Binary: 69\u00a0bytes>".replace(" ", "\u00a0"),
    );
  });

  it("are copied where pages have no clipboard object, because they are not sent over HTTPS", async () => {
    const page = await session.page();
    await page.addInitScript("delete Navigator.prototype.clipboard");
    await page.goto(`${session.rowhouse.origin}/library/genres/1`);
    await page.locator('[aria-label="Copy big"]').click();
    await page.locator('[aria-label="Copied big"]').waitFor();
  });

  it("are trees if they are JSON, of which each list and object can be folded", async () => {
    const page = await session.open("/library/documents/1", { bypassPolicy: true });
    const value = page.locator(".json-value");
    await value.locator("details").first().waitFor();
    expect((await value.innerText()).replace(/\n+/g, "\n")).to.equal(
      '{\n  "a": {\n    "b": [\n      1,\n      2.50,\n      "x ["\n    ],\n    "c": {}\n  },\n' +
        '  "d": 12345678901234567890\n}',
    );
    expect(await violations(page)).to.deep.equal([]);

    await value.locator("summary", { hasText: '"b": [' }).focus();
    await page.keyboard.press("Enter");
    const folded = await value.innerText();
    expect(folded).to.include('"d": 1234').and.to.not.include("2.50");
  });

  it("have no more stops of the tab key than a few tens, however long a JSON is", async () => {
    const page = await session.open("/library/documents/2");
    await page.locator(".json-value details").first().waitFor();

    expect(await page.locator(".json-value details").count()).to.equal(1);
    expect((await page.locator(".json-value").textContent())?.match(/\[/g)).to.have.length(62);
  });

  it("and the rows that reference it are accessible", async () => {
    const page = await session.open("/library/genres/1", { bypassPolicy: true });
    await page.locator(".copy").first().waitFor();

    expect(await violations(page)).to.deep.equal([]);
  });
});

describe("the rows before and after a row", () => {
  const session = inBrowser({ sql: SQL, metadata, settings: { default_page_size: 3 } });

  it("are those of the list that the visitor came from, over its pages", async () => {
    const page = await session.open("/library/books?_sort_desc=id&id__lt=8");
    await page.click("tbody td.type-pk a >> text=6");
    const ids: string[] = [];
    for (const step of ["next", "next", "prev", "prev", "prev"]) {
      const href = await page.locator(`.row-position [rel=${step}]`).getAttribute("href");
      await page.click(`.row-position [rel=${step}]`);
      await page.waitForURL((url) => url.pathname === href);
      ids.push(new URL(page.url()).pathname.split("/").at(-1) ?? "");
    }
    expect(ids).to.deep.equal(["5", "4", "5", "6", "7"]);
    expect(await page.locator(".row-position [rel=prev]").count()).to.equal(0);
    await page.click(".row-position >> text=List");
    await page.waitForURL(
      (url) => url.pathname === "/library/books" && url.searchParams.get("id__lt") === "8",
    );
    expect(await page.locator("tbody td.type-pk").first().textContent()).to.equal("7");
    expect(session.complaints).to.deep.equal([]);
  });

  it("are those by the keys for visitors who came from elsewhere", async () => {
    const page = await session.open("/library/books/5");
    const steps = ["prev", "next"].map((rel) =>
      page.locator(`.row-position [rel=${rel}]`).getAttribute("href"),
    );
    expect(await Promise.all(steps)).to.deep.equal(["/library/books/4", "/library/books/6"]);

    await page.goto(`${session.rowhouse.origin}/library/books/1`);
    await page.locator(".row-position [rel=next]").waitFor();
    expect(await page.locator(".row-position [rel=prev]").count()).to.equal(0);
    expect(session.complaints).to.deep.equal([]);
  });
});

describe("the rows before and after a row, for visitors who came from elsewhere", () => {
  const session = inBrowser({
    sql: `
      create table pairs ("-a,b" text, b integer, primary key ("-a,b", b));
      insert into pairs values ('x,y', 1), ('x,y', 2), ('z/.', 1);
      create table notes (body text);
      insert into notes values ('one'), ('two'), ('three');
      create table large (id integer primary key);
      insert into large values (1), (9007199254740993), (9007199254740995);
      create table only (id integer primary key);
      insert into only values (1);`,
    metadata: { databases: { library: { tables: { notes: { sort_desc: "body" } } } } },
  });

  const steps = {
    "pairs/x~2Cy,2": ["/library/pairs/x~2Cy,1", "/library/pairs/z~2F~2E,1"],
    "pairs/z~2F~2E,1": ["/library/pairs/x~2Cy,2", null],
    "notes/2": ["/library/notes/1", "/library/notes/3"],
    "large/9007199254740993": ["/library/large/1", null],
    "only/1": [null, null],
  };
  for (const [row, hrefs] of Object.entries(steps))
    it(`are those by the key, and take no page of rows: ${row}`, async () => {
      const page = await session.page();
      const pages: string[] = [];
      page.on("request", (request) => pages.push(new URL(request.url()).pathname));
      await page.goto(`${session.rowhouse.origin}/library/${row}`);
      await page.waitForLoadState("networkidle");

      const links = ["prev", "next"].map((rel) => page.locator(`.row-position [rel=${rel}]`));
      const shown = await Promise.all(
        links.map(async (link) => ((await link.count()) === 0 ? null : link.getAttribute("href"))),
      );

      expect(shown).to.deep.equal(hrefs);
      expect(pages).to.not.include(`/library/${row.split("/")[0]}`);
      expect(session.complaints).to.deep.equal([]);
    });
});
