import { expect } from "chai";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

/** 1,000 digits, of which PostgreSQL keeps every one. */
const DIGITS = `${"1234567890".repeat(30)}.${"0987654321".repeat(69)}0987654320`;

interface Case {
  readonly type: string;
  /** JSON of the value, as it is sent. */
  readonly json: string;
  /** JSON of the value, as it is returned, if that is another text. */
  readonly returned?: string;
  readonly csv: string;
  /** SQL of the value. */
  readonly sql: string;
}

const CASES: Readonly<Record<string, Case>> = {
  i8_max: {
    type: "int8",
    json: "9223372036854775807",
    csv: "9223372036854775807",
    sql: "9223372036854775807",
  },
  i8_min: {
    type: "int8",
    json: "-9223372036854775808",
    csv: "-9223372036854775808",
    sql: "-9223372036854775808",
  },
  digits: { type: "numeric", json: DIGITS, csv: DIGITS, sql: DIGITS },
  zeros: { type: "numeric(10, 4)", json: "12.5000", csv: "12.5000", sql: "12.5" },
  tenth: { type: "float8", json: "0.1", csv: "0.1", sql: "0.1" },
  tiny: { type: "float8", json: "5e-324", csv: "5e-324", sql: "5e-324" },
  huge: {
    type: "float8",
    json: "1.7976931348623157e308",
    returned: "1.7976931348623157e+308",
    csv: "1.7976931348623157e+308",
    sql: "1.7976931348623157e308",
  },
  million: { type: "real", json: "1000000.0", csv: "1000000.0", sql: "1e6" },
  large: { type: "float8", json: "1000000000000000.0", csv: "1000000000000000.0", sql: "1e15" },
  minus_zero: { type: "float8", json: "-0.0", csv: "-0.0", sql: "'-0'::float8" },
  nan: { type: "float8", json: '"NaN"', returned: "null", csv: "nan", sql: "'NaN'::float8" },
  infinite: { type: "float8", json: '"Infinity"', returned: "null", csv: "inf", sql: "'Infinity'::float8" },
  least: { type: "float8", json: '"-Infinity"', returned: "null", csv: "-inf", sql: "'-Infinity'::float8" },
  no_number: { type: "numeric", json: '"NaN"', returned: "null", csv: "nan", sql: "'NaN'::numeric" },
  bytes: {
    type: "bytea",
    json: '{"$base64": true, "encoded": "AP8Q"}',
    csv: "",
    sql: "'\\x00ff10'::bytea",
  },
  at: {
    type: "timestamptz",
    json: '"2020-01-02 03:04:05.678901+02"',
    returned: '"2020-01-02 01:04:05.678901+00"',
    csv: "2020-01-02 01:04:05.678901+00",
    sql: "'2020-01-02 01:04:05.678901+00'",
  },
  day: { type: "date", json: '"0044-03-15 BC"', csv: "0044-03-15 BC", sql: "'0044-03-15 BC'" },
  uid: {
    type: "uuid",
    json: '"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"',
    csv: "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    sql: "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
  },
  doc: {
    type: "json",
    json: '"{\\"b\\": 1.10,  \\"a\\":2}"',
    csv: '"{""b"": 1.10,  ""a"":2}"',
    sql: `'{"b": 1.10,  "a":2}'::json`,
  },
  sorted: {
    type: "jsonb",
    json: '"{\\"a\\": 2, \\"b\\": 123456789012345678901234567890.10}"',
    csv: '"{""a"": 2, ""b"": 123456789012345678901234567890.10}"',
    sql: `'{"a": 2, "b": 123456789012345678901234567890.10}'::jsonb`,
  },
  texts: {
    type: "text[]",
    json: '["a", "b, \\"c\\"", "\\\\", null, ""]',
    returned: '"{a,\\"b, \\\\\\"c\\\\\\"\\",\\"\\\\\\\\\\",NULL,\\"\\"}"',
    csv: '"{a,""b, \\""c\\"""",""\\\\"",NULL,""""}"',
    sql: `array['a', 'b, "c"', '\\', null, '']`,
  },
  grid: {
    type: "int[]",
    json: '"{{1,2},{3,4}}"',
    csv: '"{{1,2},{3,4}}"',
    sql: "array[[1, 2], [3, 4]]",
  },
  mood: { type: "mood", json: '"so so"', csv: "so so", sql: "'so so'::mood" },
  range: { type: "int4range", json: '"[1,5)"', csv: '"[1,5)"', sql: "int4range(1, 5)" },
  yes: { type: "bool", json: "true", csv: "true", sql: "true" },
  number_text: { type: "text", json: "0.1", returned: '"0.1"', csv: "0.1", sql: "'0.1'" },
  number_json: { type: "jsonb", json: "0.1", returned: '"0.1"', csv: "0.1", sql: "'0.1'" },
  text: {
    type: "text",
    json: '"\\u00e9 \\ud83d\\ude00 \\u0001 \\"\\\\\\n"',
    csv: '"é 😀 \u0001 ""\\\n"',
    sql: `U&'\\00e9 \\+01f600 \\0001 "\\\\\\000a'`,
  },
};

const names = Object.keys(CASES);
const TABLE = `
create type mood as enum ('so so', 'fine');
create table exact (id int8 primary key, ${names.map((name) => `${name} ${CASES[name]?.type}`).join(", ")},
  twice int8 generated always as (id * 2) stored);
do $$ begin if not exists (select from pg_roles where rolname = 'guest') then create role guest login; end if; end $$;
grant select on exact to guest;`;

const returned = ({ json, returned: other = json }: Case): string => other;
const cells = names.map((name) => `"${name}": ${CASES[name]?.json}`).join(", ");

const expected = (id: number): string =>
  `{"id": ${id}, ${Object.entries(CASES)
    .map(([name, one]) => `"${name}": ${returned(one)}`)
    .join(", ")}, "twice": ${id * 2}}`;

describePostgres("exact values of a PostgreSQL database", (server) => {
  let rowhouse: TestRowhouse;
  let database = "";
  before(async () => {
    const uri = await server().createDatabase(TABLE);
    database = uri.split("/").at(-1) ?? "";
    rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri: `${uri}?read_role=guest`, name: "shop", mutable: true });
  });

  const post = (path: string, body: string): Promise<TestReply> =>
    rowhouse.post(`/shop/exact/${path}`, {
      as: "root",
      headers: { "content-type": "application/json" },
      body,
    });
  /** The names of the columns of a row whose stored values are not those of the cases. */
  const wrong = async (id: number): Promise<readonly string[]> => {
    const tests = names.map((name) => {
      const { sql = "", type = "" } = CASES[name] ?? {};
      return `(${name}::text is distinct from (${sql})::${type}::text) as ${name}`;
    });
    const [row = {}] = await server().run(`select ${tests.join(", ")} from exact where id = ${id}`, database);
    return Object.keys(row).length === 0 ? ["no row"] : names.filter((name) => row[name] !== false);
  };
  it("are stored as they are inserted, updated and upserted, and returned as they are stored", async () => {
    const inserted = await post("-/insert", `{"row": {"id": 1, ${cells}}, "return": true}`);
    await post("-/insert", '{"rows": [{"id": 2}, {"id": 3}]}');
    const updated = await post("2/-/update", `{"update": {${cells}}, "return": true}`);
    const upserted = await post("-/upsert", `{"rows": [{"id": 3, ${cells}}]}`);

    expect([inserted.status, updated.status, upserted.status], upserted.text).to.deep.equal([201, 200, 200]);
    expect(inserted.text).to.contain(expected(1));
    expect(updated.text).to.contain(expected(2));
    for (const id of [1, 2, 3]) expect(await wrong(id), `row ${id}`).to.deep.equal([]);
  });

  it("are the same on pages of a table and of a row, in streams and in ?sql=", async () => {
    const sql = encodeURIComponent("select * from exact order by id");
    const list = `[${[1, 2, 3].map(expected).join(", ")}]`;
    const lines = [1, 2, 3].map(expected).join("\n");

    expect((await rowhouse.get("/shop/exact.json?_shape=array")).text).to.equal(list);
    expect((await rowhouse.get("/shop/exact/2.json?_shape=objects")).text).to.contain(expected(2));
    expect((await rowhouse.get(`/shop.json?sql=${sql}&_shape=array`)).text).to.equal(list);
    expect((await rowhouse.get("/shop/exact.json?_shape=array&_nl=on")).text.trim()).to.equal(lines);
    expect((await rowhouse.get(`/shop.json?sql=${sql}&_shape=array&_nl=on`)).text.trim()).to.equal(lines);
  });

  it("are the same as CSV, of which another table can be made", async () => {
    const { text } = await rowhouse.get("/shop/exact.csv?_stream=1&id=1");
    const head = ["id", ...names, "twice"].join(",");
    const row = ["1", ...Object.values(CASES).map(({ csv }) => csv), "2"].join(",");

    expect(text.replace(/http[^,]*/, "")).to.equal(`${head}\r\n${row}\r\n`);
  });

  it("are found by the text that is returned", async () => {
    const found = names.filter((name) => !["doc", "sorted", "bytes", "text"].includes(name));
    for (const name of found) {
      const one = CASES[name];
      const text =
        one === undefined || returned(one) === "null" ? null : String(JSON.parse(`[${returned(one)}]`)[0]);
      if (text === null || ["digits", "i8_max", "i8_min", "zeros"].includes(name)) continue;
      const reply = await rowhouse.get(
        `/shop/exact.json?_nosuggest=1&_size=0&${name}=${encodeURIComponent(text)}`,
      );
      expect(reply.json, name).to.deep.include({ filtered_table_rows_count: 3 });
    }
    for (const name of ["digits", "i8_max", "i8_min", "zeros"]) {
      const reply = await rowhouse.get(`/shop/exact.json?_nosuggest=1&_size=0&${name}=${CASES[name]?.json}`);
      expect(reply.json, name).to.deep.include({ filtered_table_rows_count: 3 });
    }
  });
});
