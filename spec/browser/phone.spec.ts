import { expect } from "chai";
import { LONG_TABLE_PATH, METADATA, SQL } from "./pages.js";
import type { Page } from "playwright-core";
import { recordShifts, shiftsOf } from "./layout-shifts.js";
import { inBrowser } from "./session.js";

const PHONE_WIDTH = 390;
const FINGER_PX = 40;
const root = { id: "root" };

const PATHS = [
  "/library/people/-/new-row",
  "/library/books/1/-/edit",
  "/library/books?_group=year&_agg=count",
  "/library/books/-/columns",
  "/library/-/new-table",
  "/library/-/write-sql",
  "/library/-/import",
  "/library?sql=select+1",
  "/missing?a=1",
  "/-/settings",
  "/-/plugins",
  "/-/actions",
  "/-/openapi",
  "/-/permissions",
];

/** The height below the lowest button of the toolbar. */
async function emptyHeight(page: Page): Promise<number> {
  return (await page.evaluate(`(() => {
    const bar = document.querySelector(".toolbar");
    const bottoms = [...bar.querySelectorAll("button, summary")].filter((one) => one.checkVisibility())
      .map((one) => one.getBoundingClientRect().bottom);
    return Math.round(bar.getBoundingClientRect().bottom - Math.max(...bottoms));
  })()`)) as number;
}

describe("pages on a phone", () => {
  const session = inBrowser({ sql: SQL, metadata: METADATA });

  it("have controls that are as high as a finger, and listings that need no scrolling sideways", async () => {
    const page = await session.page({ as: root, width: PHONE_WIDTH });
    const found: string[] = [];
    for (const path of PATHS) {
      await page.goto(session.rowhouse.origin + path);
      found.push(...(await faults()).map((fault) => `${path}: ${fault}`));
    }

    expect(found).to.deep.equal([]);

    async function faults(): Promise<readonly string[]> {
      return (await page.evaluate(`(() => {
        const controls = "main :is(button, select, textarea, input:not([type=hidden], [type=checkbox], [type=radio], [type=file]))";
        const shown = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 1;
        const small = [...document.querySelectorAll(controls)].filter(shown)
          .filter((element) => element.getBoundingClientRect().height < ${FINGER_PX} - 0.5)
          .map((element) => "small: " + element.outerHTML.slice(0, 100));
        const wide = [...document.querySelectorAll(".table-wrapper:has(> .listing)")]
          .filter((box) => box.scrollWidth > box.clientWidth)
          .map((box) => "wide: " + box.getAttribute("aria-label"));
        return [...small, ...wide];
      })()`)) as readonly string[];
    }
  });

  it("have a header of one line, however long the name of a table is", async () => {
    const page = await session.page({ as: root, width: PHONE_WIDTH });
    const heightOn = async (path: string): Promise<number> => {
      await page.goto(session.rowhouse.origin + path);
      return (await page.locator(".site-header").boundingBox())?.height ?? 0;
    };

    expect(await heightOn(`${LONG_TABLE_PATH}/-/new-row`)).to.equal(
      await heightOn("/library/books/-/new-row"),
    );
  });

  it("have a toolbar as high as its lines, in which later buttons move no rows", async () => {
    const found: Record<string, readonly number[]> = {};
    for (const language of ["en", "de"])
      for (const path of ["people", "kinds", "books", "pairs"]) {
        const page = await session.page({ as: root, width: PHONE_WIDTH });
        await page.setExtraHTTPHeaders({ "accept-language": language });
        await recordShifts(page);
        await page.goto(`${session.rowhouse.origin}/library/${path}`);
        await page.locator(".toolbar[role=toolbar]").waitFor();
        found[`${path} ${language}`] = [await emptyHeight(page), Number((await shiftsOf(page)).toFixed(2))];
      }

    expect(found).to.deep.equal(Object.fromEntries(Object.keys(found).map((name) => [name, [0, 0]])));
  });

  it("open the menu of a table below its button", async () => {
    const page = await session.open("/library/people", { as: root, width: PHONE_WIDTH });
    await page.click(".export-menu > summary");
    const button = await page.locator(".export-menu > summary").boundingBox();
    const panel = await page.locator(".export-menu > .menu-panel").boundingBox();

    expect((panel?.y ?? 0) - (button?.y ?? 0) - (button?.height ?? 0)).to.be.within(0, 8);
  });

  it("show the heading of each cell of a listing beside it", async () => {
    const page = await session.open("/-/settings", { as: root, width: PHONE_WIDTH });
    const heading = await page.evaluate(
      "getComputedStyle(document.querySelector('#setting-default_page_size td:nth-child(2)'), '::before').content",
    );

    expect(heading).to.equal('"Value"');
  });

  it("do not lay the fields of a form over each other", async () => {
    const page = await session.open("/library/books/-/new-row", { as: root, width: PHONE_WIDTH });
    const overlaps = await page.evaluate(`[...document.querySelectorAll(".edit-field")].flatMap((field) => {
      const boxes = [...field.querySelectorAll(":scope > label, input, select, textarea")].filter((element) =>
        element.checkVisibility()).map((element) => [element, element.getBoundingClientRect()]);
      return boxes.flatMap(([one, a], index) => boxes.slice(index + 1)
        .filter(([, b]) => a.right > b.left + 1 && b.right > a.left + 1 && a.bottom > b.top + 1 && b.bottom > a.top + 1)
        .map(([other]) => one.outerHTML.slice(0, 60) + " / " + other.outerHTML.slice(0, 60)));
    })`);

    expect(overlaps).to.deep.equal([]);
  });
});

describe("a row with long values on a phone", () => {
  const session = inBrowser({
    sql: `
      create table measures (id integer primary key, length real, file blob, remark text);
      insert into measures values (1, 123456789.12345679, zeroblob(1234567), '${"A remark. ".repeat(50)}');
      create table lines (id integer primary key, poem text, sentence text);
      insert into lines values (1, '${"a line\n".repeat(9)}', '${"words ".repeat(40)}');
      create table labels (id integer primary key, name text);
      insert into labels values (1, '${"A name. ".repeat(50)}');
      create table "references" (id integer primary key, label integer references labels (id));
      insert into "references" values (1, 1);
      create table notes (id integer primary key, text text, author text);
      insert into notes values (1, '${"שלום ".repeat(60_000)}', 'Ann');`,
  });

  it("shows a text of many pages in a box that scrolls, and prints all of it", async () => {
    const page = await session.open("/library/notes/1", { width: 390 });
    const text = page.locator(".record .col-text .long-text");
    const height = async (): Promise<number> => (await text.boundingBox())?.height ?? 0;

    expect(await height()).to.be.below(500);
    expect(await text.evaluate((box) => box.matches(":dir(rtl)"))).to.equal(true);
    await page.emulateMedia({ media: "print" });
    expect(await height()).to.be.above(10_000);
  });

  it("has one direction in the field of a long text, in which typing would be slow otherwise", async () => {
    const page = await session.open("/library/notes/1/-/edit", { as: root });
    const found = await page.evaluate(`(() => {
      const field = document.querySelector(".edit-form textarea");
      return [field.value.length, field.matches(":dir(rtl)"), getComputedStyle(field).unicodeBidi];
    })()`);

    expect(found).to.deep.equal([300_000, true, "isolate"]);
  });

  it("keeps them apart from the buttons that copy them", async () => {
    const page = await session.open("/library/measures/1", { width: 390 });
    await page.locator(".record .copy").first().waitFor();
    const covered = await page.evaluate(`[...document.querySelectorAll(".record td")].filter((cell) => {
      const button = cell.querySelector(".copy");
      if (button === null) return false;
      const range = document.createRange();
      range.selectNodeContents(cell);
      range.setEndBefore(button);
      return range.getBoundingClientRect().right > button.getBoundingClientRect().left;
    }).map((cell) => cell.className)`);

    expect(covered).to.deep.equal([]);
  });

  it("has the buttons that edit and delete it in one line", async () => {
    const page = await session.open("/library/measures/1", { width: 390, as: { id: "root" } });
    const tops = await page
      .locator(".page-heading .button")
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top));

    expect(tops).to.have.length(2);
    expect(tops[0]).to.equal(tops[1]);
  });

  for (const table of ["measures", "lines", "references"]) {
    it(`takes no more lines in the table ${table} than a folded text`, async () => {
      const page = await session.open(`/library/${table}`, { width: 390 });
      const row = await page.locator(".rows-and-columns tbody tr").boundingBox();

      expect(row?.height).to.be.below(5 * 20 + 20);
    });
  }
});

describe("descriptions and facets with long parts on a phone", () => {
  const state = "A state of a book. ".repeat(20);
  const session = inBrowser({
    tables: {
      books: [
        { id: 1, state },
        { id: 2, state: "new" },
      ],
    },
    metadata: {
      description_html:
        '<img alt="" width="900" height="20" src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">',
      databases: { library: { tables: { books: { facets: ["state"] } } } },
    },
  });

  it("have pictures that are no wider than the page", async () => {
    const page = await session.open("/", { width: 390 });

    expect(await page.evaluate("document.documentElement.scrollWidth")).to.equal(390);
  });

  it("have room for other values beside a long one", async () => {
    const page = await session.open("/library/books", { width: 390 });
    await page.click(".facets-fold > summary");
    const value = await page.locator(".facet li a", { hasText: "A state" }).boundingBox();

    expect(value?.height).to.be.below(70);
  });
});
