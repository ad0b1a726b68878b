import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";

/** The same texts in every run. */
function* randomNumbers(): Generator<number, never> {
  for (let state = 12_345; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648;
  }
}

const RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x01, 0x1f],
  [0x20, 0x7e],
  [0x7f, 0x7f],
  [0x80, 0x7ff],
  [0x800, 0xd7ff],
  [0xe000, 0xffff],
  [0x1_0000, 0x10_ffff],
];

const random = randomNumbers();
const below = (limit: number): number => Math.floor(random.next().value * limit);

/** Up to `most` characters, mostly of one range. */
function randomText(most: number): string {
  const usual = RANGES[below(RANGES.length)] ?? [0x20, 0x7e];
  return Array.from({ length: below(most) }, () => {
    const [first, last] = below(10) === 0 ? (RANGES[below(RANGES.length)] ?? usual) : usual;
    return String.fromCodePoint(first + below(last - first + 1));
  }).join("");
}

const TEXTS = [
  ...Array.from({ length: 400 }, () => randomText(120)),
  ...Array.from({ length: 20 }, () => randomText(60_000)),
];

describe("Rows as JSON", () => {
  const tables = {
    texts: TEXTS.map((text, id) => ({ id, text, real: (id + 1) / 7, bytes: Buffer.from(text, "utf16le") })),
  };

  for (const [way, path] of [
    ["a page", "/library/texts.json?_size=max&_shape=arrays&_nosuggest=1"],
    ["SQL of the caller", "/library.json?_shape=arrays&sql=select+*+from+texts"],
  ] as const) {
    it(`are ASCII and keep every character and number: ${way}`, async () => {
      const rowhouse = await rowhouseFor({ tables, settings: { max_returned_rows: 1_000 } });
      const { text, json } = await rowhouse.get(path);
      const rows = json.rows as readonly (readonly [number, string, number, unknown])[];

      expect(/[^\x20-\x7e\n]/.exec(text)).to.equal(null);
      expect(rows.map(([id, found, real]) => [id, found, real])).to.deep.equal(
        TEXTS.map((found, id) => [id, found, (id + 1) / 7]),
      );
    });
  }
});
