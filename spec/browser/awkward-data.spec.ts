import { expect } from "chai";
import type { Page } from "playwright-core";
import { inBrowser } from "./session.js";

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
