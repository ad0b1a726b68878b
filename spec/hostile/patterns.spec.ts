import { expect } from "chai";
import { cpuMs } from "../harness/cpu-time.js";
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

const HARMLESS = "a quick, brown fox ";
// Escaping makes some text six times as long. A pattern that goes back and forth takes hundreds of times as long.
const MARGIN = 30;

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
  "/library/notes.json?_facet_date=note&_facet_array=note",
];

const withNote = (piece: string): Promise<TestRowhouse> =>
  rowhouseFor({
    tables: { notes: [{ id: 1, note: fill(piece, 1_000_000) }] },
    settings: { truncate_cells_html: 0, reply_cache_kb: 0 },
  });

async function costs(rowhouse: TestRowhouse, paths: readonly string[]): Promise<readonly number[]> {
  const costsMs: number[] = [];
  for (const path of paths) costsMs.push(await cpuMs(() => rowhouse.get(path)));
  return costsMs;
}

describe("Text of one endlessly repeated piece", () => {
  let rowhouse: TestRowhouse;
  let usual: readonly number[];
  let usualOfCells: readonly number[];
  before(async () => {
    rowhouse = await rowhouseFor({
      tables: { books: [{ id: 1, title: "Emma" }] },
      settings: { reply_cache_kb: 0 },
    });
    usual = await costs(rowhouse, pathsWith(HARMLESS));
    usualOfCells = await costs(await withNote(HARMLESS), LOOKS);
  });

  for (const [what, piece] of Object.entries(NASTY)) {
    it(`costs what other text costs, wherever it stands: ${what}`, async () => {
      for (const [index, costMs] of (await costs(rowhouse, pathsWith(piece))).entries()) {
        expect(costMs, `path ${index}`).to.be.below(MARGIN * Math.max(1, usual[index] ?? 0));
      }
    });

    it(`costs what other text costs in a cell of a megabyte: ${what}`, async () => {
      for (const [index, costMs] of (await costs(await withNote(piece), LOOKS)).entries()) {
        expect(costMs, LOOKS[index]).to.be.below(MARGIN * Math.max(1, usualOfCells[index] ?? 0));
      }
    });
  }
});
