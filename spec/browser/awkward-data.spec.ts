import { expect } from "chai";
import type { Page } from "playwright-core";
import { inBrowser, violations } from "./session.js";

const SENTENCE =
  "A text of several words that is longer than a cell of a table may become wide, by a few words";

const tables = {
  authors: [{ id: 1, name: SENTENCE }],
  books: [{ id: 1, author: 1, title: "Emma" }],
};

const sql = `
  drop table books;
  create table books (id integer primary key, author integer references authors (id), title text);
  insert into books values (1, 1, 'Emma');
  create table sentences (key text primary key, number integer);
  insert into sentences values ('${SENTENCE}', 1), ('${"k".repeat(200)}', 2);
  create table pairs (one text, two text, primary key (one, two));
  insert into pairs values ('${SENTENCE}', '${SENTENCE}');
  create table uuids (id text primary key, number integer);
  insert into uuids values ('123e4567-e89b-12d3-a456-426614174000', 1);`;

describe("a table with long values in a browser", () => {
  const session = inBrowser({ tables, sql });

  for (const width of [1280, 390]) {
    for (const table of ["books", "sentences", "pairs", "uuids"]) {
      it(`keeps each value of ${table} inside of its cell at ${width} pixels`, async () => {
        const page = await session.open(`/library/${table}`, { width });
        await page.locator(".row-menu-button").first().waitFor();

        expect(await valuesOutsideTheirCells(page)).to.deep.equal([]);
      });
    }
  }

  it("shows a UUID that is a key in one line", async () => {
    const page = await session.open("/library/uuids");
    const box = await page.locator("td.type-pk a").boundingBox();

    expect(box?.height).to.be.below(24);
  });
});

describe("labels that are JSON documents", () => {
  const document = JSON.stringify(
    { name: "Emma", years: Array.from({ length: 40 }, (_, index) => index) },
    null,
    2,
  );
  const session = inBrowser({
    sql: `create table records (id integer primary key, data text);
      insert into records values (1, '${document}'), (2, '[]');
      create table notes (id integer primary key, record integer references records (id));
      insert into notes values (1, 1), (2, 1), (3, 2);`,
    metadata: {
      databases: {
        library: {
          tables: { records: { label_column: "data", facets: ["data"] }, notes: { facets: ["record"] } },
        },
      },
    },
  });

  for (const [path, link] of [
    ["/library/notes", ".facet li a"],
    ["/library/notes", "tbody td.col-record > a"],
    ["/library/notes/1", ".record td.col-record > a"],
    ["/library/notes?_group=record", "tbody td a"],
    ["/library/records", ".facet li a"],
  ] as const) {
    for (const width of [1280, 390]) {
      it(`are their first words, with the document as title: ${link} of ${path} on ${width} pixels`, async () => {
        const page = await session.open(path, { width });
        if (width === 390 && link.startsWith(".facet")) await page.click(".facets-fold > summary");
        const label = page.locator(link, { hasText: "Emma" }).first();

        expect(await label.textContent()).to.match(/^\{ "name": "Emma", .*…$/);
        expect(await label.getAttribute("title")).to.equal(document);
        expect((await label.boundingBox())?.height).to.be.below(width === 390 ? 60 : 30);
      });
    }
  }

  it("are selected as a whole by the link of a facet", async () => {
    const page = await session.open("/library/records");
    await page.locator(".facet li a", { hasText: "Emma" }).click();
    await page.waitForURL(/data=/);

    expect(await page.locator("tbody tr").count()).to.equal(1);
  });
});

describe("pages whose words are long", () => {
  const session = inBrowser({
    tables: { genres: [{ id: 1, name: "Novel" }], a_table_with_a_long_name: [{ id: 1 }] },
    sql: `
      create table books (id INTEGER primary key, genre INTEGER references genres (id), title TEXT, published VARCHAR(20));
      insert into books values
        (1, 1, 'A short title', '1815-12-23T10:00:00Z'), (2, 1, 'Another title', '1816-12-23T10:00:00Z');`,
    metadata: { databases: { library: { tables: { books: { facets: [{ date: "published" }] } } } } },
  });
  const root = { id: "root" };

  it("have the words of the heading of a facet in one line each", async () => {
    const page = await session.open("/library/books", { locale: "de-DE" });
    await page.locator(".facet h3 > :nth-child(4)").waitFor();
    const heights = await page
      .locator(".facet h3 > *")
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().height));

    expect(heights).to.have.length.above(3);
    expect(Math.max(...heights)).to.be.below(28);
  });

  it("have each value of a row that references another in one line on a phone", async () => {
    const page = await session.open("/library/genres/1", { width: 390 });
    const row = await page.locator(".linking-rows tbody tr").first().boundingBox();

    expect(row?.height).to.be.below(45);
  });

  it("leave most of the cell to the value of a row, with a mouse at four times the size", async () => {
    const page = await session.open("/library/books/1", { width: 320 });
    const share = await page.evaluate(`(() => {
      const cell = document.querySelector(".record td.col-title");
      const { paddingLeft, paddingRight } = getComputedStyle(cell);
      return 1 - (parseFloat(paddingLeft) + parseFloat(paddingRight)) / cell.clientWidth;
    })()`);

    expect(share).to.be.above(0.6);
  });

  for (const width of [1280, 768, 390]) {
    it(`show all fields of the columns of a table at ${width} pixels`, async () => {
      const page = await session.open("/library/books/-/structure", { locale: "de-DE", width, as: root });
      const [hidden] = await page
        .locator(".column-table")
        .evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth));

      expect(hidden).to.equal(0);
    });
  }
});

describe("a row whose label changes the direction of text", () => {
  const session = inBrowser({ tables: { books: [{ id: 1234567, title: "Emma \u202eabc" }] } });

  it("does not reverse its primary key in the heading", async () => {
    const page = await session.open("/library/books/1234567");
    const lefts = await page.evaluate<number[]>(`["books: ".length, "books: 123456".length].map((offset) => {
      const range = document.createRange();
      const { firstChild } = document.querySelector("h1 .suffix");
      range.setStart(firstChild, offset);
      range.setEnd(firstChild, offset + 1);
      return range.getBoundingClientRect().left;
    })`);

    expect(lefts[0]).to.be.below(lefts[1] ?? 0);
  });
});

/** The texts of cells that reach into the space around their cell. */
const valuesOutsideTheirCells = (page: Page): Promise<string[]> =>
  page.locator(".rows-and-columns tbody td").evaluateAll((cells) =>
    cells
      .filter((cell) => {
        const end = cell.getBoundingClientRect().right;
        const texts = cell.querySelectorAll("a, em");
        return [...texts].some((text) => text.getBoundingClientRect().right > end + 1);
      })
      .map((cell) => cell.textContent),
  );

describe("a database with many tables in a browser", () => {
  const tables = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`log_${index}`, [{ id: 1 }]]));
  const session = inBrowser({ tables, sql: "create view recent as select 1 as one" });

  it("leaves those with the typed words in their name, and says if there are none", async () => {
    const page = await session.open("/library");
    const names = () => page.locator("main :is(h3, .names) a").filter({ visible: true }).allTextContents();
    await page.fill("[name=_find]", "7 LOG");
    const narrowed = [await names(), await page.locator("#views").isVisible()];
    await page.fill("[name=_find]", "no such");
    await page.locator("text=No table, view or query here").waitFor();
    const none = await names();
    await page.fill("[name=_find]", "rec");

    expect(narrowed).to.deep.equal([["log_17", "log_7"], false]);
    expect(none).to.deep.equal([]);
    expect(await names()).to.deep.equal(["recent"]);
  });
});

describe("a column whose name is empty", () => {
  const session = inBrowser({
    sql: `create table odd ("" text, title text); insert into odd values ('v', 'w');`,
  });

  for (const path of ["/library/odd", "/library/odd/-/structure", "/library?sql=select+1+as+%22%22"]) {
    it(`has a text for its link and its check box on ${path}`, async () => {
      const page = await session.open(path, { as: { id: "root" }, bypassPolicy: true });
      const columns = page.locator(".menu > summary", { hasText: "Columns" });
      if ((await columns.count()) === 1) await columns.click();

      expect(await violations(page)).to.deep.equal([]);
    });
  }
});

describe("pages of a table whose columns have long names", () => {
  const name = "Aircraft_Airline_Operator_And_Its_Second_Name_That_Never_Ends_At_All";
  const session = inBrowser({
    sql: `create table strikes (id integer primary key, "${name}" text, "${name}2" real, lat real, lng real);
      insert into strikes values (1, 'a', 1.5, 40, -70), (2, 'b', 2.5, 41, -71);
      create index long_names on strikes ("${name}", "${name}2");`,
  });

  it("break long names, so that a heading is not much wider than the values below it", async () => {
    const page = await session.open("/library/strikes");
    const widths = await page
      .locator("thead th")
      .evaluateAll((headings) => headings.map((heading) => heading.getBoundingClientRect().width));

    expect(Math.max(...widths)).to.be.below(320);
  });

  for (const width of [1280, 390]) {
    for (const path of [
      `#chart=bar&x=${name}`,
      "#map",
      `?${name}__contains=a&_sort_desc=lat&_facet=${name}`,
      `?_group=${name}&_agg=avg(${name}2)`,
      "/1",
      "/1/-/edit",
      "/-/structure",
    ]) {
      it(`keep the controls of ${path} apart and in the page at ${width} pixels`, async () => {
        const page = await session.open(`/library/strikes${path}`, { width, as: { id: "root" } });
        if (path.startsWith("#"))
          await page.locator("section.panel svg, section.panel canvas").first().waitFor();

        // The button of a long form is over its fields until its end is in view.
        await page.evaluate("scrollTo(0, document.body.scrollHeight)");

        expect(await overlappingControls(page)).to.deep.equal([]);
        expect(await page.evaluate("document.documentElement.scrollWidth")).to.equal(width);
      });
    }
  }
});

/** Pairs of fields and buttons of forms and panels that cover each other. */
const overlappingControls = (page: Page): Promise<string[]> =>
  page.locator("main").evaluate((main) => {
    const controls = [...main.querySelectorAll("select, input, button")]
      .filter((control) => control.checkVisibility() && control.closest(".rows-and-columns, .menu") === null)
      .map((control) => ({
        name: control.getAttribute("name") ?? control.textContent,
        box: control.getBoundingClientRect(),
      }))
      .filter(({ box }) => box.width > 0);
    const pairs = controls.flatMap((one, place) =>
      controls.slice(place + 1).map((other) => [one, other] as const),
    );
    return pairs
      .filter(
        ([one, other]) =>
          Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left) > 1 &&
          Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top) > 1,
      )
      .map(([one, other]) => `${one.name} ${other.name}`);
  });
