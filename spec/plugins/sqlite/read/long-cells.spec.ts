import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../../harness/index.js";

/** Cells are completed in pieces of 262,144 characters or bytes. */
const PIECE = 262_144;

/** Characters of one to four bytes, and some that JSON escapes, so that a piece can end anywhere inside of them. */
const MIXED = 'a\u00e9\u20ac\u{1f600}"\\\n\u007f';

/** `-0.0` and other REALs are completed after they were read, as BLOBs are. */
const NUMBERS = [1.5, -0.1, 1e300, 0.1 + 0.2];

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe("A long cell", () => {
  const bytes = Buffer.from(Array.from({ length: 3 * PIECE + 1 }, (_, at) => (at * 7919) % 256));
  const text = "x".repeat(3) + MIXED.repeat(100_000);
  let rowhouse: TestRowhouse;
  before(async () => {
    // A text that is shifted by a byte for each row ends its pieces at other places.
    rowhouse = await rowhouseFor({
      sql: `create table cells (id integer primary key, text, number, bytes blob);
        ${[0, 1, 2, 3, 4].map((id) => `insert into cells values (${id}, '${text.slice(id)}', ${NUMBERS[id] ?? "-0.0"}, x'${hexOf(bytes.subarray(id))}');`).join("\n")}
        create table texts (id integer primary key, bytes blob);
        insert into texts values (1, cast((select group_concat(text, '') from cells) as blob));`,
    });
  });

  const read = async (path: string): Promise<string> => (await rowhouse.get(path)).text;

  for (const path of [
    "/library/cells.json?_shape=objects",
    "/library/cells.json?_shape=array&_nl=on&_stream=on",
  ]) {
    it(`is exact at the end of each piece: ${path}`, async () => {
      const sent = await read(path);
      const rows = path.includes("_nl")
        ? sent.split("\n").map((line) => JSON.parse(line) as Cells)
        : (JSON.parse(sent) as { readonly rows: readonly Cells[] }).rows;

      expect(rows).to.have.length(5);
      for (const [id, row] of rows.entries()) {
        expect(row.text === text.slice(id)).to.equal(true);
        expect(Object.is(row.number, NUMBERS[id] ?? -0)).to.equal(true);
        expect(row.bytes.encoded === bytes.subarray(id).toString("base64")).to.equal(true);
      }
      // oxlint-disable-next-line no-control-regex
      expect(/[^\u0000-\u007e]/.test(sent)).to.equal(false);
    });
  }

  it("is a text if its bytes are one", async () => {
    const { rows } = JSON.parse(await read("/library/texts.json?_shape=objects")) as {
      readonly rows: readonly { readonly bytes: string }[];
    };

    expect(rows[0]?.bytes === [0, 1, 2, 3, 4].map((id) => text.slice(id)).join("")).to.equal(true);
  });
});

interface Cells {
  readonly text: string;
  readonly number: number;
  readonly bytes: { readonly $base64: true; readonly encoded: string };
}
