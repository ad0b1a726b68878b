import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";

const TABLE = "create table t (id integer primary key, v)";

const JSON_TYPE = { "content-type": "application/json" };

/** Sends JSON as text: no number of it passes through JavaScript. */
const send = (rowhouse: TestRowhouse, path: string, body: string | Uint8Array): Promise<TestReply> =>
  rowhouse.post(path, { as: "root", body, headers: JSON_TYPE });

/** What SQLite has, with nothing between: storage class, and the value; integers as text, text and bytes in hex. */
const stored = (rowhouse: TestRowhouse): Promise<Record<string, unknown>[]> =>
  rowhouse.query(
    `select typeof(v) as type, case typeof(v) when 'text' then hex(v) when 'blob' then hex(v)
       when 'real' then v else quote(v) end as value from t`,
  );

const hex = (text: string): string => Buffer.from(text).toString("hex").toUpperCase();

interface Case {
  readonly sent: string;
  readonly type: string;
  readonly value: string | number;
  /** How it comes back, where that is not as it was sent. */
  readonly back?: string;
}

const integer = (sent: string, value = sent, back = sent): Case => ({ sent, type: "integer", value, back });
const real = (sent: string, value: number, back: string): Case => ({ sent, type: "real", value, back });
const text = (sent: string, value: string, back = sent): Case => ({
  sent,
  type: "text",
  value: hex(value),
  back,
});

const cases: readonly Case[] = [
  { sent: "null", type: "null", value: "NULL" },
  integer("true", "1", "1"),
  integer("false", "0", "0"),
  integer("0"),
  integer("-0", "0", "0"),
  integer("2147483648"),
  integer("-2147483649"),
  integer("9007199254740991"),
  integer("9007199254740992"),
  integer("9007199254740993"),
  integer("-9007199254740993"),
  integer("9223372036854775807"),
  integer("-9223372036854775808"),
  real("1.0", 1, "1.0"),
  real("1e2", 100, "100.0"),
  real("-0.0", -0, "-0.0"),
  real("-0e0", -0, "-0.0"),
  real("0.1", 0.1, "0.1"),
  real("0.30000000000000004", 0.1 + 0.2, "0.30000000000000004"),
  real("9007199254740993.0", 9_007_199_254_740_992, "9007199254740992.0"),
  real("1.7976931348623157e308", 1.7976931348623157e308, "1.7976931348623157e+308"),
  real("5e-324", 5e-324, "5e-324"),
  text('""', ""),
  text('"a\\u0000b"', "a\0b"),
  text('"\\ud83d\\ude00 Zo\\u00eb"', "😀 Zoë"),
  text('"9223372036854775808"', "9223372036854775808"),
  text(
    '{"b": [1, 2.0, null, true], "a": {"é": 12345678901234567890}}',
    '{"b": [1, 2.0, null, true], "a": {"é": 12345678901234567890}}',
    '"{\\"b\\": [1, 2.0, null, true], \\"a\\": {\\"\\u00e9\\": 12345678901234567890}}"',
  ),
  text("[]", "[]", '"[]"'),
  text("[1.50, 1e2]", "[1.5, 100.0]", '"[1.5, 100.0]"'),
  text('{"__proto__": 1}', '{"__proto__": 1}', '"{\\"__proto__\\": 1}"'),
  { sent: '{"$base64": true, "encoded": "AP8="}', type: "blob", value: "00FF" },
  { sent: '{"$base64": true, "encoded": ""}', type: "blob", value: "", back: '""' },
  text(
    '{"$raw": {"$base64": true, "encoded": "AP8="}}',
    '{"$base64": true, "encoded": "AP8="}',
    '"{\\"$base64\\": true, \\"encoded\\": \\"AP8=\\"}"',
  ),
];

describe("values that are written", () => {
  for (const { sent, type, value, back = sent } of cases) {
    it(`are stored and told exactly: ${sent}`, async () => {
      const rowhouse = await rowhouseFor({ sql: TABLE });

      const inserted = await send(
        rowhouse,
        "/library/t/-/insert",
        `{"rows": [{"id": 1, "v": ${sent}}], "return": true}`,
      );
      await send(rowhouse, "/library/t/-/upsert", `{"rows": [{"id": 2, "v": 0}, {"id": 2, "v": ${sent}}]}`);
      await send(rowhouse, "/library/t/-/insert", '{"row": {"id": 3}}');
      await send(rowhouse, "/library/t/3/-/update", `{"update": {"v": ${sent}}}`);

      expect(inserted.text).to.equal(`{"ok": true, "rows": [{"id": 1, "v": ${back}}]}`);
      expect(await stored(rowhouse)).to.deep.equal(Array.from({ length: 3 }, () => ({ type, value })));
    });
  }

  it("choose a column's type with a REAL that is whole told from an integer", async () => {
    const rowhouse = await rowhouseFor();

    const reply = await send(
      rowhouse,
      "/library/-/create",
      '{"table": "made", "rows": [{"a": 1, "b": 1.0, "c": 9223372036854775807, "d": 1}, {"d": 1e0}]}',
    );

    expect(reply.json.schema).to.equal(
      "CREATE TABLE [made] (\n   [a] INTEGER,\n   [b] FLOAT,\n   [c] INTEGER,\n   [d] FLOAT\n)",
    );
    expect(await rowhouse.query("select typeof(d) as d, quote(c) as c from made")).to.deep.equal([
      { d: "real", c: "9223372036854775807" },
      { d: "real", c: "NULL" },
    ]);
  });

  it("are never dropped because two names become one column", async () => {
    const rowhouse = await rowhouseFor();

    const reply = await send(rowhouse, "/library/-/create", '{"table": "made", "row": {"a[b": 1, "a_b": 2}}');

    expect(reply.status).to.equal(400);
    expect(reply.json.errors).to.deep.equal(["duplicate column name: a_b"]);
  });
});

const tooDeep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const utf8 = (before: string, bytes: readonly number[], after: string): Uint8Array =>
  Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);

interface Refusal {
  readonly what: string;
  readonly row: string | Uint8Array;
  readonly says: RegExp;
  readonly status?: number;
}

const row = (member: string): string => `{"rows": [{"id": 7, "v": "first"}, {"id": 8, ${member}}]}`;

const refusals: readonly Refusal[] = [
  { what: "an integer above 64 bits", row: row('"v": 9223372036854775808'), says: /int too large/ },
  { what: "an integer below 64 bits", row: row('"v": -9223372036854775809'), says: /int too large/ },
  { what: "an integer of 30 digits", row: row(`"v": ${"9".repeat(30)}`), says: /int too large/ },
  {
    what: "an integer of 100,000 digits",
    row: row(`"v": ${"9".repeat(100_000)}`),
    says: /number out of range/,
  },
  { what: "1e400", row: row('"v": 1e400'), says: /number out of range/ },
  { what: "-1e400", row: row('"v": -1e400'), says: /number out of range/ },
  { what: "NaN", row: row('"v": NaN'), says: /Expecting value/ },
  { what: "Infinity", row: row('"v": -Infinity'), says: /Expecting value/ },
  {
    what: "half a character",
    row: row('"v": "\\ud83d"'),
    says: /can't encode character '\\ud83d' in position 0/,
  },
  { what: "half a character in nested JSON", row: row('"v": ["\\udc00"]'), says: /surrogates not allowed/ },
  { what: "half a character as a column", row: row('"\\ud83d": 1'), says: /invalid columns/ },
  { what: "nesting of 501", row: row(`"v": ${tooDeep(501)}`), says: /Nested too deeply/ },
  { what: "nesting of 100,000", row: row(`"v": ${tooDeep(100_000)}`), says: /Nested too deeply/ },
  { what: "invalid UTF-8", row: utf8('{"row": {"id": 8, "v": "', [0xc3, 0x28], '"}}'), says: /not UTF-8/ },
  { what: "overlong UTF-8", row: utf8('{"row": {"id": 8, "v": "', [0xc0, 0xaf], '"}}'), says: /not UTF-8/ },
  { what: "UTF-16", row: Buffer.from('{"row": {"id": 8}}', "utf16le"), says: /^Invalid JSON/ },
  { what: "a body that ends too early", row: '{"rows": [{"id": 8, "v": "a', says: /Unterminated string/ },
  { what: "an unknown column", row: row('"nope": 1'), says: /^Row 1 has invalid columns: nope$/ },
  {
    what: "a column called __proto__",
    row: row('"__proto__": 1'),
    says: /^Row 1 has invalid columns: __proto__$/,
  },
  {
    what: "a column called constructor",
    row: row('"constructor": 1'),
    says: /^Row 1 has invalid columns: constructor$/,
  },
  {
    what: "a parameter called __proto__",
    row: '{"rows": [{"id": 8}], "__proto__": {}}',
    says: /^Invalid parameter: "__proto__"$/,
  },
  {
    what: "base64 that is none",
    row: row('"v": {"$base64": true, "encoded": "A"}'),
    says: /^Invalid \$base64 encoded value$/,
  },
  { what: "base64 of a number", row: row('"v": {"$base64": true, "encoded": 1}'), says: /must be a string/ },
  {
    what: "a body of 3 MB",
    row: row(`"v": "${"x".repeat(3_000_000)}"`),
    says: /exceeded maximum size of 2097152 bytes/,
    status: 413,
  },
];

describe("values that cannot be written", () => {
  for (const path of ["insert", "upsert"]) {
    for (const { what, row: body, says, status = 400 } of refusals) {
      it(`${path}: ${what} is refused with ${status}, and nothing changes`, async () => {
        const rowhouse = await rowhouseFor({ sql: `${TABLE}; insert into t values (1, 'kept')` });

        const reply = await send(rowhouse, `/library/t/-/${path}`, body);

        expect(reply.status).to.equal(status);
        expect(reply.json.ok).to.equal(false);
        expect(reply.json.errors[0]).to.match(says);
        expect(await rowhouse.rows("t")).to.deep.equal([{ id: 1, v: "kept" }]);
      });
    }
  }

  it("leave prototypes alone, and a real column may be called __proto__", async () => {
    const rowhouse = await rowhouseFor({
      sql: 'create table odd (id integer primary key, "__proto__", "constructor")',
    });

    const reply = await send(
      rowhouse,
      "/library/odd/-/insert",
      '{"row": {"id": 1, "__proto__": {"polluted": true}, "constructor": "text"}}',
    );

    expect(reply.text).to.equal(
      '{"ok": true, "rows": [{"id": 1, "__proto__": "{\\"polluted\\": true}", "constructor": "text"}]}',
    );
    expect(({} as Record<string, unknown>)["polluted"]).to.equal(undefined);
  });

  for (const [body, at] of [
    ['{"row": {"v": 5}, "row": {"id": 1, "v": 1}}', 19],
    ['{"row": {"id": 1, "v": 1, "\\u0076": 2}}', 27],
    ['{"row": {"id": 1, "v": {"a": 1, "b": 2, "a": 1}}}', 41],
  ] as const)
    it(`are refused where a key comes twice, because one would be lost: ${body}`, async () => {
      const rowhouse = await rowhouseFor({ sql: TABLE });

      const reply = await send(rowhouse, "/library/t/-/insert", body);

      expect([reply.status, reply.json.errors]).to.deep.equal([
        400,
        [`Invalid JSON: Repeated property name: line 1 column ${at} (char ${at - 1})`],
      ]);
      expect(await rowhouse.rows("t")).to.deep.equal([]);
    });

  it("are skipped where a byte order mark comes first", async () => {
    const rowhouse = await rowhouseFor({ sql: TABLE });

    const reply = await send(rowhouse, "/library/t/-/insert", '\ufeff{"row": {"id": 1, "v": 2}}');

    expect(reply.status).to.equal(201);
  });
});
