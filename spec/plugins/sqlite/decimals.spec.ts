import { expect } from "chai";
import * as fc from "fast-check";
import { Real, exactDecimal, realText } from "rowhouse/plugin-api/engine";
import { rowhouseFor, type TestReply, type TestRowhouse } from "../../harness/index.js";
import { openSqlite } from "./open-sqlite.js";

/** SQLite 3.52 parses each of these texts to a neighbour of the nearest double, and prints that neighbour like it. */
const DECIMALS = [
  "2.505606",
  "5.5810168",
  "16.8992521",
  "72.479352016",
  "154.665036250",
  "3179524.758317",
  "323068767.811214",
  "0.001579",
  "1501501.063139676",
  "-4355947.3981164",
];
const NUMBERS = DECIMALS.map(Number);

const TABLE = `create table places (id integer primary key, lat real, price numeric, label text);`;
const KEYED = `create table readings (at real primary key, note text);`;

const next = (value: number, steps: number): number => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(steps));
  return view.getFloat64(0);
};

const json = (rowhouse: TestRowhouse, path: string, body: unknown): Promise<TestReply> =>
  rowhouse.post(path, { as: "root", json: body });

/** The doubles in the file, as the driver returns them, in the order of the rows. */
const stored = async (rowhouse: TestRowhouse, column = "lat"): Promise<unknown[]> =>
  (await rowhouse.query(`select ${column} as v from places order by id`)).map(({ v }) => v);

/** One value of each row, page by page. */
async function paged(rowhouse: TestRowhouse, path: string, column: string): Promise<number[]> {
  const values: number[] = [];
  for (let token: string | null = ""; token !== null && values.length < 100;) {
    const page: TestReply = await rowhouse.get(token === "" ? path : `${path}&_next=${token}`);
    for (const row of page.json.rows) values.push(row[column]);
    token = page.json.next as string | null;
  }
  return values;
}

const column = (rows: readonly (readonly unknown[])[]): unknown[] => rows.map(([at]) => at);

const withDefault = (name: string, type: string) => ({
  name,
  type,
  default: 2.505606,
  choices: [2.505606, 7],
});

const filled = async (): Promise<TestRowhouse> => {
  const rowhouse = await rowhouseFor({ sql: TABLE + KEYED });
  await json(rowhouse, "/library/places/-/insert", {
    rows: NUMBERS.map((lat, index) => ({ id: index + 1, lat, price: lat, label: DECIMALS[index] })),
  });
  return rowhouse;
};

describe("decimal numbers that SQLite itself converts to a neighbour", () => {
  it("are stored exactly from JSON numbers, one or many, inserted, upserted and updated", async () => {
    const rowhouse = await filled();
    for (const [index, lat] of NUMBERS.entries()) {
      await json(rowhouse, "/library/places/-/insert", { row: { id: 100 + index, lat } });
      await json(rowhouse, "/library/places/-/upsert", { rows: [{ id: 200 + index, lat }] });
      await json(rowhouse, "/library/places/-/insert", { row: { id: 300 + index } });
      await json(rowhouse, `/library/places/${300 + index}/-/update`, { update: { lat } });
    }

    expect(await stored(rowhouse)).to.deep.equal([...NUMBERS, ...NUMBERS, ...NUMBERS, ...NUMBERS]);
  });

  it("are stored exactly from texts in columns of numbers, and stay texts in others", async () => {
    const rowhouse = await rowhouseFor({ sql: TABLE });
    const rows = DECIMALS.map((text, index) => ({ id: index + 1, lat: text, price: text, label: text }));
    const lines = rows.map((row) => JSON.stringify({ ...row, id: row.id + 100 })).join("\n");
    const csv = rows.map(({ id, lat }) => `${id + 200},${lat},${lat},${lat}\n`).join("");

    await json(rowhouse, "/library/places/-/insert", { rows });
    const token = await rowhouse.rowhouse.service("tokens").createToken("root");
    for (const [type, body] of [
      ["application/x-ndjson", lines],
      ["text/csv", `id,lat,price,label\n${csv}`],
    ] as const) {
      const headers = { "content-type": type };
      await rowhouse.post("/library/places/-/insert", { token, body, headers });
    }
    for (const { id, ...update } of rows) {
      await json(rowhouse, "/library/places/-/insert", { row: { id: 300 + id } });
      await json(rowhouse, `/library/places/${300 + id}/-/update`, { update });
    }

    const everyTime = [...NUMBERS, ...NUMBERS, ...NUMBERS, ...NUMBERS];
    expect(await stored(rowhouse)).to.deep.equal(everyTime);
    expect(await stored(rowhouse, "price")).to.deep.equal(everyTime);
    expect(await stored(rowhouse, "label")).to.deep.equal([
      ...DECIMALS,
      ...DECIMALS,
      ...DECIMALS,
      ...DECIMALS,
    ]);
  });

  it("are looked for in long texts in linear time", async () => {
    const rowhouse = await rowhouseFor({ sql: TABLE });
    const digits = `${"1".repeat(400_000)}e1x`;

    const inserted = await json(rowhouse, "/library/places/-/insert", { row: { id: 1, lat: digits } });
    const found = await rowhouse.get(`/library/places.json?_shape=arrays&lat=${digits.slice(-60_000)}`);

    expect([inserted.status, found.status]).to.deep.equal([201, 200]);
  });

  it("are stored as the shortest text in columns of text", async () => {
    const rowhouse = await rowhouseFor({ sql: TABLE });
    const numbers = [...NUMBERS, next(2.505606, 1), 0.1 + 0.2, 0.00002505606, 1.5, 100, -0.25];
    const json1 = numbers.map((label, id) => `{"id": ${id}, "label": ${realText(label)}}`);
    const token = await rowhouse.rowhouse.service("tokens").createToken("root");
    const headers = { "content-type": "application/x-ndjson" };

    for (const [id, row] of json1.entries()) {
      await rowhouse.post("/library/places/-/insert", { token, body: row, headers });
      await json(rowhouse, "/library/places/-/insert", { rows: [{ id: 100 + id, label: numbers[id] }] });
      await json(rowhouse, "/library/places/-/upsert", { rows: [{ id: 200 + id, label: numbers[id] }] });
      await json(rowhouse, "/library/places/-/insert", { rows: [{ id: 300 + id }] });
      const update = { label: numbers[id] };
      await json(rowhouse, `/library/places/${300 + id}/-/update`, { update });
    }

    const texts = (await stored(rowhouse, "label")).map(String);
    expect(texts.map(Number)).to.deep.equal([...numbers, ...numbers, ...numbers, ...numbers]);
    expect(texts).to.include.members(["2.505606", "2.5056060000000007", "2.505606e-05", "100.0", "-0.25"]);
    for (const text of texts) expect(text).to.have.lengthOf.at.most(20);
  });

  it("are recognised after the white space that SQLite skips, and no other", async () => {
    const rowhouse = await rowhouseFor({ sql: TABLE });
    const token = await rowhouse.rowhouse.service("tokens").createToken("root");
    const headers = { "content-type": "application/x-ndjson" };
    const skipped = [" ", "\t", "\n", "\v", "\f", "\r"].map((space) => `${space}2.505606`);
    const kept = ["\u00a0", "\u2028", "\ufeff", "\u3000"].map((space) => `2.505606${space}`);

    for (const [id, lat] of [...skipped, ...kept].entries()) {
      const body = JSON.stringify({ id, lat });
      await rowhouse.post("/library/places/-/insert", { token, body, headers });
      await json(rowhouse, "/library/places/-/insert", { rows: [{ id: id + 100, lat }] });
    }

    const once = [...skipped.map(() => 2.505606), ...kept];
    expect(await stored(rowhouse)).to.deep.equal([...once, ...once]);
  });

  it("are found by filters, which their neighbours do not match", async () => {
    const rowhouse = await filled();
    for (const [index, text] of DECIMALS.entries()) {
      for (const filter of [
        `lat=${text}`,
        `price=${text}`,
        `lat__in=1.5,${text}`,
        `lat__gte=${text}&lat__lte=${text}`,
      ]) {
        const { rows } = (await rowhouse.get(`/library/places.json?_shape=arrays&${filter}`)).json;

        expect(rows, filter).to.have.length(1);
        expect(rows[0][0], filter).to.equal(index + 1);
      }
      const others = await rowhouse.get(`/library/places.json?_shape=arrays&lat__not=${text}`);
      const greater = await rowhouse.get(`/library/places.json?_shape=arrays&lat__gt=${text}`);
      expect(others.json.rows).to.have.length(DECIMALS.length - 1);
      expect(greater.json.rows).to.have.length(NUMBERS.filter((lat) => lat > (NUMBERS[index] ?? 0)).length);
    }
  });

  it("are found by long lists of values", async () => {
    const rowhouse = await filled();
    const values = [...Array.from({ length: 1_001 }, (_, index) => index), ...DECIMALS].join();
    const idsBy = async (filter: string): Promise<unknown> =>
      (await rowhouse.get(`/library/places.json?_shape=arrayfirst&${filter}=${values}`)).json;

    expect(await idsBy("lat__in")).to.have.length(DECIMALS.length);
    expect(await idsBy("lat__notin")).to.deep.equal([]);
  });

  it("are found through rows of another table, as numbers and as texts", async () => {
    const rowhouse = await rowhouseFor({
      sql: `${TABLE} create table visits (id integer primary key, lat real, place integer references places(id));`,
    });
    const rows = NUMBERS.map((lat, index) => ({ id: index + 1, lat, place: index + 1 }));
    await json(rowhouse, "/library/places/-/insert", { rows: rows.map(({ id }) => ({ id })) });
    await json(rowhouse, "/library/visits/-/insert", { rows });

    for (const [index, text] of DECIMALS.entries()) {
      for (const value of [text, Number(text)]) {
        const through = encodeURIComponent(JSON.stringify({ table: "visits", column: "lat", value }));
        const page = await rowhouse.get(`/library/places.json?_shape=arrayfirst&_through=${through}`);
        expect(page.json, text).to.deep.equal([index + 1]);
      }
    }
  });

  it("are exact as defaults and choices of columns, and shortest in columns of text", async () => {
    const rowhouse = await rowhouseFor({ sql: TABLE });
    await json(rowhouse, "/library/-/create", {
      table: "made",
      columns: [{ name: "id", type: "integer" }, withDefault("lat", "float"), withDefault("label", "text")],
      pk: "id",
    });
    await json(rowhouse, "/library/places/-/alter", {
      operations: [
        { op: "add_column", args: withDefault("added", "float") },
        { op: "alter_column", args: { name: "lat", type: "float", default: 2.505606 } },
      ],
    });

    const made = await json(rowhouse, "/library/made/-/insert", { row: {} });
    await json(rowhouse, "/library/made/-/insert", { row: { lat: 2.505606 } });
    await json(rowhouse, "/library/places/-/insert", { row: {} });

    expect(made.json.rows).to.deep.equal([{ id: 1, lat: 2.505606, label: "2.505606" }]);
    expect(await rowhouse.query("select lat from made")).to.deep.equal([
      { lat: 2.505606 },
      { lat: 2.505606 },
    ]);
    expect(await rowhouse.query("select lat, added from places")).to.deep.equal([
      { lat: 2.505606, added: 2.505606 },
    ]);
  });

  it("are shown in the parameters of a page as they were sent", async () => {
    const rowhouse = await filled();

    const { query } = (await rowhouse.get("/library/places.json?lat=2.505606&price__in=2.505606,7.5")).json;

    expect(query.params).to.deep.equal({ p0: "2.505606", p1: "2.505606", p2: "7.5" });
  });

  it("page one by one when they are sorted by, and as keys", async () => {
    const rowhouse = await filled();
    await json(rowhouse, "/library/readings/-/insert", {
      rows: NUMBERS.flatMap((at) => [at, next(at, 1), next(at, -1)]).map((at) => ({ at, note: "" })),
    });
    const sorted = NUMBERS.toSorted((one, other) => one - other);
    const keys = NUMBERS.flatMap((at) => [next(at, -1), at, next(at, 1)]).toSorted(
      (one, other) => one - other,
    );

    expect(
      await paged(rowhouse, "/library/places.json?_shape=objects&_size=1&_sort=lat", "lat"),
    ).to.deep.equal(sorted);
    expect(
      await paged(rowhouse, "/library/places.json?_shape=objects&_size=1&_sort_desc=lat", "lat"),
    ).to.deep.equal(sorted.toReversed());
    expect(await paged(rowhouse, "/library/readings.json?_shape=objects&_size=1", "at")).to.deep.equal(keys);
  });

  it("address rows, which their neighbours do not", async () => {
    const rowhouse = await filled();
    for (const at of NUMBERS) {
      await json(rowhouse, "/library/readings/-/insert", {
        rows: [at, next(at, 1), next(at, -1)].map((key) => ({ at: key, note: String(key) })),
      });
    }
    for (const at of NUMBERS.flatMap((key) => [key, next(key, 1), next(key, -1)])) {
      const path = `/library/readings/${String(at).replace(".", "~2E")}`;
      const read = await rowhouse.get(`${path}.json?_shape=objects`);
      const written = await json(rowhouse, `${path}/-/update`, { update: { note: `of ${at}` } });

      expect(read.json.rows).to.deep.equal([{ at, note: String(at) }]);
      expect(written.status).to.equal(200);
    }
    const notes = await rowhouse.query("select at, note from readings");
    expect(notes.every(({ at, note }) => note === `of ${String(at)}`)).to.equal(true);
  });

  it("are read exactly in all formats, and so are their neighbours", async () => {
    const rowhouse = await rowhouseFor({ sql: KEYED });
    const values = NUMBERS.flatMap((value) => [next(value, -1), value, next(value, 1)]);
    await json(rowhouse, "/library/readings/-/insert", { rows: values.map((at) => ({ at })) });
    const sorted = values.toSorted((one, other) => one - other);

    const page = await rowhouse.get("/library/readings.json?_shape=arrays");
    const sql = await rowhouse.get("/library.json?_shape=arrays&sql=select+at+from+readings+order+by+at");
    const csv = await rowhouse.get("/library/readings.csv?_stream=on");
    const html = await rowhouse.get("/library/readings");

    expect(column(page.json.rows)).to.deep.equal(sorted);
    expect(column(sql.json.rows)).to.deep.equal(sorted);
    expect(csv.text.trim().split("\r\n").slice(1).map(parseFloat)).to.deep.equal(sorted);
    for (const value of sorted) expect(html.text).to.include(String(value));
  });

  it("are written in their shortest form", async () => {
    const values = Array.from({ length: 500 }, (_, index) =>
      Number(`${10 ** (index % 10) + index * 7919}.${String(index * 37 + 1).padStart(1 + (index % 5), "0")}`),
    );
    const rowhouse = await rowhouseFor({ sql: "create table readings (at real)" });
    await rowhouse.rowhouse
      .database("library")
      .write((transaction) =>
        transaction.run(`insert into readings values ${values.map(() => "(?)").join()}`, values),
      );

    const { text } = await rowhouse.get("/library/readings.json?_shape=array&_col=at&_size=max");
    const found = [...text.matchAll(/"at": ([^}]*)/g)].map(([, number]) => number);
    expect(found).to.deep.equal(values.map(String));
  });

  it("are read and stored exactly with any digits", async () => {
    const database = await openSqlite("memory:");
    const decimals = fc
      .tuple(
        fc.integer({ min: 1, max: 2 ** 50 }),
        fc.integer({ min: 0, max: 14 }),
        fc.integer({ min: -2, max: 2 }),
      )
      .map(([digits, places, steps]) => next(Number(`${digits}e-${places}`), steps));
    await fc.assert(
      fc.asyncProperty(fc.array(decimals, { minLength: 500, maxLength: 500 }), async (values) => {
        const text = JSON.stringify(values);
        const listed = values.map((value) =>
          Number.isSafeInteger(value) ? `${value}.0` : exactDecimal(value),
        );

        const bound = await database.read(
          `select column1 from (values ${values.map(() => "(?)").join()})`,
          values.map((value) => new Real(value)),
        );
        const parsed = await database.read("select value from json_each(?)", [`[${listed.join()}]`]);

        const expected = JSON.parse(text).map((value: number) => [new Real(value)]);
        expect(bound.rows).to.deep.equal(expected);
        expect(parsed.rows).to.deep.equal(expected);
      }),
      { numRuns: 20 },
    );
  });
});
