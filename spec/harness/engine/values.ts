import { expect } from "chai";
import type { SqlValue } from "rowhouse/plugin-api";
import { Real } from "rowhouse/plugin-api/engine";
import type { OpenEngine } from "./open-engine.js";

const cells: readonly (readonly [name: string, value: SqlValue, json: string])[] = [
  ["NULL", null, "null"],
  ["zero", 0, "0"],
  ["a small integer", -42, "-42"],
  ["an integer beyond 32 bits", 5_000_000_000, "5000000000"],
  ["an integer that no double holds", 9007199254740993n, "9007199254740993"],
  ["the largest integer", 9223372036854775807n, "9223372036854775807"],
  ["the smallest integer", -9223372036854775808n, "-9223372036854775808"],
  ["a whole REAL", new Real(12), "12.0"],
  ["a simple REAL", new Real(0.25), "0.25"],
  ["a REAL of 17 digits", new Real(0.1 + 0.2), "0.30000000000000004"],
  ["a large REAL", new Real(1e16), "1e+16"],
  ["a small REAL", new Real(1e-7), "1e-07"],
  ["the smallest REAL", new Real(5e-324), "5e-324"],
  ["negative zero", new Real(-0), "-0.0"],
  ["infinity", new Real(Infinity), "null"],
  ["empty text", "", '""'],
  ["text", 'He said "no"\\', '"He said \\"no\\"\\\\"'],
  ["text with control characters", "a\0b\n\u0001\u001e\u007f", '"a\\u0000b\\n\\u0001\\u001e\\u007f"'],
  ["text beyond ASCII", "Zoë 😀", '"Zo\\u00eb \\ud83d\\ude00"'],
  ["an empty BLOB", Buffer.alloc(0), '""'],
  ["a BLOB that is text", Buffer.from("plain"), '"plain"'],
  ["a BLOB that is not", Buffer.from([0xff, 0]), '{"$base64": true, "encoded": "/wA="}'],
];

export function describeValues(open: OpenEngine): void {
  describe("cells", () => {
    for (const [what, value, json] of cells) {
      it(`brings ${what} back as it was bound`, async () => {
        const database = await open();

        const { rows } = await database.read("select :value, typeof(:value)", { value });
        const wire = await database.readJson("select :value", { value });

        expect(rows[0]?.[0]).to.deep.equal(value);
        expect(wire.rows).to.deep.equal([`[${json}]`]);
      });
    }

    it("keeps the storage class of what is bound", async () => {
      const database = await open();

      const { rows } = await database.read("select typeof(?), typeof(?), typeof(?), typeof(?), typeof(?)", [
        5,
        new Real(5),
        5.5,
        true,
        2n ** 40n,
      ]);

      expect(rows).to.deep.equal([["integer", "real", "real", "integer", "integer"]]);
    });

    it("writes infinities as words if requested", async () => {
      const database = await open();

      const { rows } = await database.readJson("select 9e999, -9e999", [], { infinity: "words" });

      expect(rows).to.deep.equal(["[Infinity, -Infinity]"]);
    });
  });
}
