import { open, rm, writeFile } from "node:fs/promises";
import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "rowhouse/testing";

const DAMAGES: readonly (readonly [
  told: string,
  message: string,
  code: string,
  damage: (file: string) => Promise<void>,
])[] = [
  ["missing", "The database file is missing.", "DATABASE_UNAVAILABLE", (file) => rm(file)],
  [
    "no database",
    "file is not a database",
    "SQL_FAILED",
    (file) => writeFile(file, "no database ".repeat(1000)),
  ],
];

for (const [told, message, code, damage] of DAMAGES)
  describe(`one file of several that is ${told}`, () => {
    let rowhouse: TestRowhouse;
    before(async () => {
      rowhouse = await rowhouseFor({
        tables: { books: [{ id: 1 }] },
        databases: { letters: "create table t (id)", sealed: "create table t (id)" },
        metadata: { databases: { sealed: { allow: { id: "root" } } } },
      });
      await Promise.all(["letters", "sealed"].map((name) => damage(rowhouse.file(name))));
      // Whether a file is still the same is looked at once in a second.
      await new Promise((resolve) => setTimeout(resolve, 1_100));
    });

    it("is reported as an error of the server", async () => {
      const page = await rowhouse.get("/letters/t.json");
      const write = await rowhouse.post("/letters/t/-/insert", { as: "root", json: { row: { id: 1 } } });

      expect(page.status).to.equal(503);
      expect(page.json).to.deep.equal({ ok: false, code, error: message, status: 503, title: null });
      expect(write.status).to.equal(503);
      expect(rowhouse.logged.join("\n")).to.include(message);
    });

    it("leaves the others in the list of databases, which no cache keeps", async () => {
      const { status, json, headers } = await rowhouse.get("/.json");
      const page = await rowhouse.get("/");

      expect(status).to.equal(200);
      expect(Object.keys(json)).to.deep.equal(["library", "letters"]);
      expect(json.library.tables_count).to.equal(1);
      expect(json.letters).to.include({ tables_count: 0, error: message });
      expect(headers.etag).to.equal(undefined);
      expect(headers["cache-control"]).to.equal("no-store");
      expect(page.text).to.include(message);
    });

    for (const path of ["/-/databases.json", "/-/jump.json?q=book", "/-/openapi.json"]) {
      it(`leaves ${path} to the others`, async () => {
        const { status, text } = await rowhouse.get(path);

        expect(status).to.equal(200);
        expect(text).to.match(/library/);
        expect(text).to.not.include("sealed");
      });
    }
  });

describe("A damaged table", () => {
  let rowhouse: TestRowhouse;
  before(async () => {
    rowhouse = await rowhouseFor({
      sql: `create table t (a); insert into t values (1); create table other (a); insert into other values (1);
        create table sound (a); insert into sound values (2)`,
      settings: { trace_debug: true },
    });
    const file = await open(rowhouse.file(), "r+");
    // The second page is the first of the table t, the third that of other.
    await file.write(Buffer.alloc(8_192, 0xab), 0, 8_192, 4_096);
    await file.close();
  });

  it("is counted together with the others only once", async () => {
    const together: number[] = [];
    for (const path of ["/library.json?_trace=1", "/library.json?_trace=1&again"]) {
      const { json } = await rowhouse.get(path);
      const counting = json["_trace"].traces.filter(({ sql }: { sql?: string }) =>
        sql?.includes("(select count(*)"),
      );
      together.push(counting.length);
    }

    expect(together).to.deep.equal([1, 0]);
  });

  it("is listed without a number of rows, beside the others", async () => {
    const { status, json } = await rowhouse.get("/library.json");
    const counts = json.tables.map(({ name, count }: { name: string; count: number | null }) => [
      name,
      count,
    ]);

    expect(status).to.equal(200);
    expect(counts).to.deep.equal([
      ["other", null],
      ["sound", 1],
      ["t", null],
    ]);
    expect((await rowhouse.get("/.json")).json.library.tables_count).to.equal(3);
    expect((await rowhouse.get("/library")).status).to.equal(200);
  });

  for (const path of [
    "/library/t.json",
    "/library/t",
    "/library.json?sql=select+*+from+t",
    "/library?sql=select+*+from+t",
  ])
    it(`is an error of the server, with the name of the database in the log: ${path}`, async () => {
      const { status, text } = await rowhouse.get(path);

      expect(status).to.equal(503);
      expect(text).to.include("database disk image is malformed");
      expect(rowhouse.logged.join("\n")).to.include(
        `GET ${path.replace(/\?.*/, "")}: library: database disk image is malformed`,
      );
    });
});

describe("A damaged header", () => {
  // SQLite reads the format (44 to 47) and the encoding (56 to 59) again when the schema (40 to 43) has changed.
  for (const [name, damaged] of [
    ["format", [43, 47]],
    ["encoding", [43, 59]],
    ["whole", Array.from({ length: 30 }, (_, at) => 40 + at)],
  ] as const)
    it(`is an error of the server: ${name}`, async () => {
      const rowhouse = await rowhouseFor({ sql: "create table t (a); insert into t values (1)" });
      const paths = ["/library/t.json", "/library/t", "/library.json?sql=select+*+from+t"];
      for (const path of paths) await rowhouse.get(path);
      const file = await open(rowhouse.file(), "r+");
      // 24 to 27 and 92 to 95 count the changes.
      for (const at of [27, 95, ...damaged]) await file.write(Buffer.of(0xab), 0, 1, at);
      await file.close();

      for (const path of paths) {
        const { status, text } = await rowhouse.get(path);
        expect(status, path).to.equal(503);
        expect(text).to.include("database disk image is malformed");
      }
      expect(rowhouse.logged.join("\n")).to.include("library: database disk image is malformed");
    });
});

it("A file that has just been removed does not fail the list of databases", async () => {
  const rowhouse = await rowhouseFor({
    tables: { books: [{ id: 1 }] },
    databases: { letters: "create table t (id)" },
  });
  // The file is compared now, and not again for a moment.
  await rowhouse.get("/letters/t.json");
  await rm(rowhouse.file("letters"));

  const { status, json } = await rowhouse.get("/.json");

  expect(status).to.equal(200);
  expect(json.library.tables_count).to.equal(1);
  expect(json.letters.error).to.equal("The database file is missing.");
});
