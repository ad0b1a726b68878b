import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const WORDS = ["a", "b", "z", "-", "]", "[a", "^", ":", ".", "\\\\", "ab", "", "a\n", "\u{1f600}"];
const NUMBERS = ["1e308", "-1e308", "0", "1e-300", "1.5"];

const SCRIPT = `
  create table words (id integer primary key, word text);
  insert into words values ${WORDS.map((word, index) => `(${index}, '${word}')`).join(", ")};
  create table digits (id integer primary key, digit text);
  insert into digits values (1, '05'), (2, '5'), (3, '50'), (4, '6'), (5, '04'), (6, '["x"]'), (7, '[]');
  create table numbers (id integer primary key, number double precision);
  insert into numbers values ${NUMBERS.map((number, index) => `(${index}, ${number})`).join(", ")};
  create table counts (id integer primary key, count smallint);
  insert into counts values (1, -32768), (2, -2), (3, -1), (4, 0), (5, 1), (6, 2), (7, 32767), (8, null);
  create table days (id integer primary key, day date, time timestamp, zoned timestamptz);
  insert into days values
    (1, '2024-02-28', '2024-02-28 23:59:59.999', '2024-02-28 23:59:59.999'), (2, '2024-02-29', '2024-02-29 00:00:00', '2024-02-29 00:00:00'),
    (3, '2024-03-01', '2024-02-29 23:59:59', '2024-02-29 23:59:59'), (4, null, '2024-03-01 00:00:00', null);`;

const FILTERS = [
  ...[
    "[z-a]",
    "[z-a]*",
    "[a",
    "a[",
    "[[:alpha:]]*",
    "[]a]*",
    "[^]a]*",
    "[a-]*",
    "[]-z]*",
    "[\\\\a]",
    "[^a-z]",
    "?",
    "",
  ].map((glob) => `words.json?word__glob=${encodeURIComponent(glob)}`),
  ...[
    "exact=1e400",
    "not=1e400",
    "gt=1e400",
    "lt=1e400",
    "gt=-1e400",
    "gt=1e-400",
    "exact=-1e-400",
    "in=1e400,1.5",
  ].map((filter) => `numbers.json?number__${filter}`),
];

for (const operator of ["exact", "not", "gt", "gte", "lt", "lte"])
  for (const value of ["05", "5", "-05", "00", "0009223372036854775808"])
    FILTERS.push(`digits.json?digit__${operator}=${value}`);

for (const operator of ["exact", "not", "gt", "gte", "lt", "lte"])
  for (const value of [
    "1.5",
    "-1.5",
    "1.0",
    "-0.5",
    "0.5",
    "40000",
    "-40000",
    "1e3",
    "99999999999999999999.5",
    "-99999999999999999999",
  ])
    FILTERS.push(`counts.json?count__${operator}=${value}`);
for (const operator of ["in", "notin"])
  for (const value of ["1.0", "1.5,-2.0", "[1.0, 2]", '["1.0"]', "1e0,x", "40000.0", "1e400", "-1.0,,2."])
    FILTERS.push(`counts.json?count__${operator}=${encodeURIComponent(value)}`);
for (const column of ["day", "time", "zoned"])
  for (const value of ["2024-02-28", "2024-02-29", "2024-02-30", "2024-03-01", "x", "0000-01-01"])
    FILTERS.push(`days.json?${column}__date=${value}`);

/** A table of bytes. The bytes of `é` are `\\303\\251` in octal digits, which a filter must not find. */
const PIECES = ["", "hello", "back\\slash", "\\303", "é 303", "%_x", "\\x41", "*[a]?"].map((text) =>
  Buffer.from(text),
);
const pieces = (type: string, literal: (hex: string) => string): string =>
  `create table pieces (id integer primary key, piece ${type});` +
  [...PIECES, Buffer.of(0xff, 0xc3), Buffer.of(0xff, 0xc3)]
    .map((piece, id) => `insert into pieces values (${id}, ${literal(piece.toString("hex"))});`)
    .join("");

for (const operator of ["contains", "notcontains", "startswith", "endswith"])
  for (const text of ["ELL", "hel", "303", "é", "É", "\\", "x", "\\x", "%", "_", "a"])
    FILTERS.push(`pieces.json?piece__${operator}=${encodeURIComponent(text)}`);
for (const pattern of ["h%", "%_l%", "\\x41", "%b%"])
  FILTERS.push(`pieces.json?piece__like=${encodeURIComponent(pattern)}`);
for (const pattern of ["h*", "*[k\\]*", "[*]*", "?*"])
  FILTERS.push(`pieces.json?piece__glob=${encodeURIComponent(pattern)}`);

describePostgres("the path of a row with an integer key in PostgreSQL", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(SCRIPT);
    rowhouse = await rowhouseFor({ sql: SCRIPT });
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  for (const key of ["1~2E0", "1e0", "10e-1", "1~2E5", "01", "-0~2E0", "1e400", "1e-400", "x"]) {
    it(`leads to the row that it leads to in SQLite: ${key}`, async () => {
      const [found, expected] = await Promise.all(
        ["shop", "library"].map((database) => rowhouse.get(`/${database}/counts/${key}.json?_shape=array`)),
      );

      expect(found?.status, found?.text).to.equal(expected?.status);
      expect(found?.json).to.deep.equal(expected?.json);
    });
  }
});

describePostgres("a filter of a PostgreSQL database", (server) => {
  let rowhouse: TestRowhouse;
  before(async () => {
    const uri = await server().createDatabase(SCRIPT + pieces("bytea", (hex) => `decode('${hex}', 'hex')`));
    rowhouse = await rowhouseFor({ sql: SCRIPT + pieces("blob", (hex) => `x'${hex}'`) });
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
  });

  for (const filter of FILTERS) {
    it(`finds the rows that it finds in SQLite: ${decodeURIComponent(filter)}`, async () => {
      const [found, expected] = await Promise.all(
        ["shop", "library"].map((database) => rowhouse.get(`/${database}/${filter}&_shape=array&_col=id`)),
      );

      expect(found?.status, found?.text).to.equal(200);
      expect(found?.json).to.deep.equal(expected?.json);
    });
  }

  for (const [filter, ids] of [
    ["=hello", [1]],
    ["__in=hello,x", [1]],
    ["__not=hello", [0, 2, 3, 4, 5, 6, 7, 8, 9]],
    ["=back%5Cslash", [2]],
    ["=%5Cx41", [6]],
    ["=%C3%A9%20303", [4]],
    ["=%FF%C3", [8, 9]],
  ] as const) {
    it(`finds bytes by a text or by bytes: piece${filter}`, async () => {
      const { json, text } = await rowhouse.get(`/shop/pieces.json?piece${filter}&_shape=arrayfirst`);

      expect(json, text).to.deep.equal(ids);
    });
  }

  it("by a facet of bytes finds what it finds in SQLite", async () => {
    const facets = await Promise.all(
      ["shop", "library"].map(async (database) => {
        const { json } = await rowhouse.get(`/${database}/pieces.json?_facet=piece&_size=0`);
        return JSON.parse(JSON.stringify(json.facet_results).replaceAll(`/${database}/`, "/")) as unknown;
      }),
    );

    expect(facets[0]).to.deep.equal(facets[1]);
  });

  for (const operator of ["arraycontains", "arraynotcontains"]) {
    it(`with ${operator} finds what it finds in SQLite by bytes that are not UTF-8`, async () => {
      const path = `digits.json?id__gte=6&_shape=array&_col=id&digit__${operator}=%ED%A0%80`;
      const [found, expected] = await Promise.all(
        ["shop", "library"].map((database) => rowhouse.get(`/${database}/${path}`)),
      );

      expect(found?.status, found?.text).to.equal(200);
      expect(found?.json).to.deep.equal(expected?.json);
    });
  }
});
