import { expect } from "chai";
import type { Database, SqlValue } from "rowhouse/plugin-api";
import { Real, type NewColumnType } from "rowhouse/plugin-api/engine";
import type { OpenEngine } from "./open-engine.js";
import type { EngineTraits } from "./traits.js";

type Cell = readonly [name: string, value: SqlValue, json: string];

/** Values that some engines can't store: U+0000, and the sign of zero. */
const rarelyStored: readonly Cell[] = [
  ["negative zero", new Real(-0), "-0.0"],
  ["text with U+0000", "a\0b", '"a\\u0000b"'],
];

const cells: readonly Cell[] = [
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
  ["infinity", new Real(Infinity), "null"],
  ["empty text", "", '""'],
  ["text", 'He said "no"\\', '"He said \\"no\\"\\\\"'],
  ["text with control characters", "ab\n\u0001\u001e\u007f", '"ab\\n\\u0001\\u001e\\u007f"'],
  ["text beyond ASCII", "Zoë 😀", '"Zo\\u00eb \\ud83d\\ude00"'],
  ["an empty BLOB", Buffer.alloc(0), '""'],
  ["a BLOB that is text", Buffer.from("plain"), '"plain"'],
  ["a BLOB that is not", Buffer.from([0xff, 0]), '{"$base64": true, "encoded": "/wA="}'],
];

const TYPES: readonly NewColumnType[] = ["integer", "float", "text", "blob"];

/** A database with a table `cells`, which has a column of each type. */
async function withCells(open: OpenEngine): Promise<Database> {
  const database = await open();
  const { declaredTypes } = database.dialect.definitions;
  const columns = TYPES.map((type) => `as_${type} ${declaredTypes[type]}`).join(", ");
  await database.write((transaction) => transaction.run(`create table cells (${columns})`));
  return database;
}

function typeOf(value: SqlValue): NewColumnType {
  if (value instanceof Real) return "float";
  if (value instanceof Uint8Array) return "blob";
  return typeof value === "string" ? "text" : "integer";
}

/** Replaces the only row by one with this value. Returns the column that holds it. */
async function store(database: Database, value: SqlValue): Promise<string> {
  const column = `as_${typeOf(value)}`;
  await database.write(async (transaction) => {
    await transaction.run("delete from cells");
    await transaction.run(`insert into cells (${column}) values (?)`, [value]);
  });
  return column;
}

export function describeValues(open: OpenEngine, { typedValues }: EngineTraits): void {
  describe("cells", () => {
    it("are read as they were stored", async () => {
      const database = await withCells(open);

      for (const [what, value, json] of cells) {
        const sql = `select ${await store(database, value)} from cells`;
        expect((await database.read(sql)).rows[0]?.[0], what).to.deep.equal(value);
        expect((await database.readJson(sql)).rows, what).to.deep.equal([`[${json}]`]);
      }
    });

    it("have infinities as words if requested", async () => {
      const database = await withCells(open);
      const sql = `select ${await store(database, new Real(-Infinity))} from cells`;

      const { rows } = await database.readJson(sql, [], { infinity: "words" });

      expect(rows).to.deep.equal(["[-Infinity]"]);
    });

    if (typedValues) describeBoundValues(open);
  });
}

/** Guarantees of engines with `typedValues`. */
function describeBoundValues(open: OpenEngine): void {
  for (const [what, value, json] of [...cells, ...rarelyStored]) {
    it(`are read as they were bound: ${what}`, async () => {
      const database = await open();

      const { rows } = await database.read("select :value", { value });
      const wire = await database.readJson("select :value", { value });

      expect(rows[0]?.[0]).to.deep.equal(value);
      expect(wire.rows).to.deep.equal([`[${json}]`]);
    });
  }

  it("keep the storage class of bound values", async () => {
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
}
