import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../harness/index.js";

// What a header line may hold; longer text reaches the patterns through the data.
const LENGTH = 12_000;
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

async function timed(rowhouse: TestRowhouse, path: string): Promise<number> {
  const started = performance.now();
  await rowhouse.get(path);
  return performance.now() - started;
}

describe("Text of one endlessly repeated piece", () => {
  for (const [what, piece] of Object.entries(NASTY)) {
    it(`is looked through at once, wherever it stands: ${what}`, async () => {
      const rowhouse = await rowhouseFor({ tables: { books: [{ id: 1, title: "Emma" }] } });
      const text = encodeURIComponent(fill(piece, LENGTH)).slice(0, LENGTH);
      const raw = fill(encodeURIComponent(piece), LENGTH);
      await rowhouse.get("/library/books");

      for (const path of [
        `/library.json?sql=${text}`,
        `/library.json?sql=select+'${text}'`,
        `/library/books.json?_where=${text}`,
        `/library/books.json?title=${text}`,
        `/library/books.json?_next=${text}`,
        `/library/books.json?_search=${text}`,
        `/library/books.json?_json=${text}&_size=${text.slice(0, 2000)}`,
        `/library/${raw}`,
        `/library/books/${raw}.json`,
      ]) {
        expect(await timed(rowhouse, path), path.slice(0, 60)).to.be.below(2_000);
      }
    });

    it(`in a cell of a megabyte costs a page little: ${what}`, async () => {
      const rowhouse = await rowhouseFor({
        tables: { notes: [{ id: 1, note: fill(piece, 1_000_000) }] },
        settings: { truncate_cells_html: 0 },
      });
      await rowhouse.get("/library/notes?_col=id");

      expect(await timed(rowhouse, "/library/notes?_nosuggest=1")).to.be.below(3_000);
      expect(await timed(rowhouse, "/library/notes.json?_json=note")).to.be.below(3_000);
      expect(await timed(rowhouse, "/library/notes.json?_facet_date=note&_facet_array=note")).to.be.below(
        1_000,
      );
    });
  }
});
