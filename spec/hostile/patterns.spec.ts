import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../harness/index.js";

// About what an address may hold; longer text reaches the patterns through the data. A pattern that goes back and
// forth over it needs more than the two minutes that a spec may take.
const LENGTH = 50_000;
const CELL_LENGTH = 2_000_000;
const NASTY: Readonly<Record<string, string>> = {
  spaces: " ",
  letters: "a",
  "the start of a link": "https://",
  "dots and slashes": "./",
  quotes: "'",
  brackets: "[",
  dashes: "-- ",
  stars: "/*",
  colons: ":a",
  digits: "1",
  "percent signs": "%2",
  tildes: "~",
  "line breaks": "\n",
};

const fill = (piece: string, length: number): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** Wherever a request can hold text. */
function pathsWith(piece: string): readonly string[] {
  const text = encodeURIComponent(fill(piece, LENGTH)).slice(0, LENGTH);
  const raw = fill(encodeURIComponent(piece), LENGTH);
  return [
    `/library.json?sql=${text}`,
    `/library.json?sql=select+'${text}'`,
    `/library/books.json?_where=${text}`,
    `/library/books.json?title=${text}`,
    `/library/books.json?_next=${text}`,
    `/library/books.json?_search=${text}`,
    `/library/books.json?_json=${text}&_size=${text.slice(0, 2000)}`,
    `/library/${raw}`,
    `/library/books/${raw}.json`,
  ];
}

const LOOKS = [
  "/library/notes?_nosuggest=1",
  "/library/notes.json?_json=note",
  "/library/notes.json?_facet_date=note",
];

describe("Text of one endlessly repeated piece", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] } });
  });

  for (const [what, piece] of Object.entries(NASTY)) {
    it(`gets a reply at any place of an address: ${what}`, async () => {
      for (const path of pathsWith(piece)) {
        expect([200, 302, 400, 404], path.slice(0, 60)).to.include((await rowhouse.get(path)).status);
      }
    });

    it(`is shown from a cell of two megabytes: ${what}`, async () => {
      const note = fill(piece, CELL_LENGTH);
      const full = await rowhouseFor({
        tables: { notes: [{ id: 1, note }] },
        settings: { truncate_cells_html: 0 },
      });

      for (const path of LOOKS) expect((await full.get(path)).status, path).to.equal(200);
      expect([200, 400]).to.include((await full.get("/library/notes.json?_facet_array=note")).status);
      expect((await full.rows("notes"))[0]).to.deep.include({ note });
    });
  }
});
