import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { openRaw } from "../harness/raw-sqlite.js";
import { until } from "../harness/until.js";
import { endings, workplace, type Ended } from "./command.js";

const BOOKS = "create table books (id integer primary key, title text not null, price real);";

describe("rowhouse insert", function () {
  this.timeout(300_000);
  const place = workplace();

  const query = async (file: string, sql: string): Promise<unknown[]> => {
    const database = await openRaw(join(place.folder, file));
    try {
      return await database.all(sql);
    } finally {
      await database.close();
    }
  };
  const insert = async (file: string, words: readonly string[], input?: string): Promise<Ended> =>
    place.call(["insert", file, "books", ...words], {}, input);

  it("makes a table of a CSV file, with types that hold what is in it", async () => {
    place.write({ "new.csv": 'id,title,price,code\n2,"Emma, again",9.5,007\n1,Persuasion,,8\n' });

    const ended = await insert("made.db", ["new.csv", "--pk", "id", "--create"]);

    expect(ended).to.deep.equal({ code: 0, stdout: "2 rows inserted into books\n", stderr: "" });
    const [{ sql }] = (await query("made.db", "select sql from sqlite_schema")) as [{ sql: string }];
    expect(sql).to.equal(
      "CREATE TABLE [books] (\n   [id] INTEGER PRIMARY KEY,\n   [title] TEXT,\n   [price] FLOAT,\n   [code] TEXT\n)",
    );
    expect(await query("made.db", "select * from books")).to.deep.equal([
      { id: 1, title: "Persuasion", price: null, code: "8" },
      { id: 2, title: "Emma, again", price: 9.5, code: "007" },
    ]);
  });

  for (const [name, text, kept] of [
    [
      "json",
      '[{"n": 1.5}, {"n": 9223372036854775807}, {"n": 1e300}]',
      ["1.5", "9223372036854775807", "1.0e+300"],
    ],
    ["csv", "n\n1.5\n922337203685477580\n1e30\n", ["1.5", "922337203685477580", "1.0e+30"]],
  ] as const) {
    it(`keeps wide integers and fractions of one column exact (${name})`, async () => {
      const ended = await insert(`wide-${name}.db`, ["-", "--create"], text);

      expect(ended).to.include({ code: 0, stderr: "" });
      const [row] = await query(
        `wide-${name}.db`,
        "select group_concat(n, ' ') as numbers, group_concat(typeof(n), ' ') as types from books",
      );
      expect(row).to.deep.equal({ numbers: kept.join(" "), types: "real integer real" });
    });
  }

  it("makes a row of each feature of GeoJSON", async () => {
    const feature =
      '{"type": "Feature", "id": 7, "properties": {"name": "A"}, "geometry": {"type": "Point"}}';
    const bare = '{"type": "Feature", "properties": null, "geometry": null}';
    const text = `{"type": "FeatureCollection", "features": [${feature}, ${bare}]}`;
    place.write({ "places.geojson": text });

    const named = await insert("features.db", ["places.geojson", "--create"]);
    const piped = await insert("features.db", ["-"], text);

    expect([named.stderr, piped.stderr]).to.deep.equal(["", ""]);
    const rows = [
      { id: 7, name: "A", geometry: '{"type": "Point"}' },
      { id: null, name: null, geometry: null },
    ];
    expect(await query("features.db", "select * from books")).to.deep.equal([...rows, ...rows]);
  });

  it("makes an empty table of a file that has only names, and adds nothing to a table", async () => {
    const none = { code: 0, stdout: "0 rows inserted into books\n", stderr: "" };
    for (const round of ["new", "existing"])
      expect(
        await insert("names.db", ["-", "--csv", "--pk", "id", "--create"], "id,title\n"),
        round,
      ).to.deep.equal(none);
    expect(await insert("names.db", ["-", "--csv", "--alter"], "id,other\n")).to.deep.equal(none);

    const [{ sql }] = (await query("names.db", "select sql from sqlite_schema where type = 'table'")) as [
      { sql: string },
    ];
    expect(sql).to.equal("CREATE TABLE [books] (\n   [id] TEXT PRIMARY KEY,\n   [title] TEXT\n)");
  });

  it("leaves no new database behind that it can't fill, and an existing one as it was", async () => {
    await place.database("filled.db", BOOKS);
    const cut = ["-", "--csv", "--create"];

    const fresh = await insert("fresh.db", cut, "id,title\n1,Emma\n2,Emma,more\n");
    const filled = await insert("filled.db", cut, "id,title\n1,Emma\n2,Emma,more\n");

    expect([fresh.code, filled.code]).to.deep.equal([1, 1]);
    expect(readdirSync(place.folder).filter((name) => name.startsWith("fresh"))).to.deep.equal([]);
    expect(await query("filled.db", "select count(*) as n from books")).to.deep.equal([{ n: 0 }]);
  });

  it("keeps decimals of a new column exact that SQLite itself converts to a neighbour", async () => {
    const ended = await insert(
      "places.db",
      ["-", "--create"],
      "lat\n2.505606\n16.8992521\n1501501.063139676\n",
    );

    expect(ended).to.include({ code: 0, stderr: "" });
    expect(await query("places.db", "select lat from books")).to.deep.equal([
      { lat: 2.505606 },
      { lat: 16.8992521 },
      { lat: 1501501.063139676 },
    ]);
  });

  it("reads other delimiters and encodings, lines that end with CR, and files without header", async () => {
    place.write({ "semicolons.csv": "id;title\r1;Emma\r2;Persuasion\r" });
    writeFileSync(join(place.folder, "latin.csv"), Buffer.from("7,Caf\u00e9\n", "latin1"));

    const first = await insert("options.db", ["semicolons.csv", "--delimiter", ";", "--create"]);
    const second = await insert("options.db", ["latin.csv", "--no-header", "--encoding", "windows-1252"]);
    const third = await insert("unnamed.db", ["latin.csv", "--no-header", "--encoding=latin1", "--create"]);

    expect([first, second, third].map(({ code, stderr }) => [code, stderr])).to.deep.equal([
      [0, ""],
      [0, ""],
      [0, ""],
    ]);
    expect(await query("options.db", "select * from books")).to.deep.equal([
      { id: 1, title: "Emma" },
      { id: 2, title: "Persuasion" },
      { id: 7, title: "Caf\u00e9" },
    ]);
    expect(await query("unnamed.db", "select * from books")).to.deep.equal([
      { column_1: 7, column_2: "Caf\u00e9" },
    ]);
  });

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`leaves no new file behind when ${signal} ends it`, async () => {
      place.write({ "long.csv": `id\n${"1\n".repeat(2_000_000)}` });
      const names = (): string[] => readdirSync(place.folder).filter((name) => name.startsWith(signal));

      const inserting = place.run(["insert", `${signal}.db`, "books", "long.csv", "--create"]);
      await until(() => names().length > 0);
      place.killAll(signal);

      expect(await inserting).to.deep.equal({ code: null, stdout: "", stderr: "" });
      expect(names()).to.deep.equal([]);
    });
  }

  it("names an option whose value it cannot use", async () => {
    const long = await insert("never.db", ["-", "--delimiter", "ab", "--create"], "a\n");
    const unknown = await insert("never.db", ["-", "--encoding", "klingon", "--create"], "a\n");

    expect([long.code, unknown.code]).to.deep.equal([2, 2]);
    expect(long.stderr).to.contain("Invalid value for '--delimiter': must be one character, or tab");
    expect(unknown.stderr).to.contain("Invalid value for '--encoding': unknown: klingon");
  });

  it("names what it cannot read", async () => {
    await place.database("unread.db");
    const memory = await insert("unread.db", ["/proc/self/mem"]);
    writeFileSync(join(place.folder, "picture.csv"), Buffer.from([0x89, 0x50, 0x4e, 0x47]));
    const picture = await insert("unread.db", ["picture.csv"]);

    expect([memory.code, picture.code]).to.deep.equal([1, 1]);
    expect(memory.stderr).to.match(/^Error: Path '.proc.self.mem' cannot be read: EIO/);
    expect(picture.stderr).to.equal("Error: The file is not UTF-8 text\n");
  });

  it("needs the name of a table, since no page can have an empty one", async () => {
    await place.database("unnamed-table.db");

    const ended = await place.run(["insert", "unnamed-table.db", "", "-"], {}, "a\n1\n");

    expect(ended.code).to.equal(2);
    expect(ended.stderr).to.contain("Invalid value for 'TABLE': is empty");
    expect(await query("unnamed-table.db", "select name from sqlite_schema")).to.deep.equal([{ name: "t" }]);
  });

  it("takes a compound key", async () => {
    await place.database("compound.db", "create table other (a)");

    const ended = await insert("compound.db", ["-", "--pk", "a", "--pk", "b"], "a,b,c\n1,x,1\n1,y,2\n");

    expect(ended.code).to.equal(0);
    expect(await query("compound.db", "select name, pk from pragma_table_info('books')")).to.deep.equal([
      { name: "a", pk: 1 },
      { name: "b", pk: 2 },
      { name: "c", pk: 0 },
    ]);
  });

  const contents: [name: string, text: string, words: string[]][] = [
    ["a JSON list", '[{"id": 1, "title": "a"}, {"id": 2, "title": "b"}]', []],
    ["a single JSON object over several lines", '{\n "id": 1,\n "title": "a"\n}', []],
    ["a JSON object a line", '{"id": 1, "title": "a"}\n{"id": 2, "title": "b"}', []],
    ["values between commas", "id,title\n1,a\n2,b\n", []],
    ["values between tabs", "id\ttitle\n1\ta\n2\tb\n", []],
    ["the stated format", "title\nid\ttwo\n", ["--csv"]],
  ];
  for (const [index, [name, text, words]] of contents.entries()) {
    it(`finds ${name} on its standard input`, async () => {
      await place.database(`input${index}.db`, BOOKS);

      const ended = await place.run(["insert", `input${index}.db`, "books", "-", ...words], {}, text);

      expect(ended.stderr).to.equal("");
      const [first] = (await query(`input${index}.db`, "select id, title from books")) as object[];
      expect(first).to.deep.equal({ id: 1, title: words.length > 0 ? "id\ttwo" : "a" });
    });
  }

  it("upserts, replaces, ignores and alters", async () => {
    await place.database("kept.db", `${BOOKS} insert into books values (1, 'Emma', 9.5), (2, 'b', 2)`);
    place.write({ "rows.ndjson": '{"id": 1, "price": 7.5}\n' });

    const upserted = await insert("kept.db", ["rows.ndjson", "--upsert"]);
    expect(upserted.stdout).to.equal("1 row upserted into books\n");
    const ignored = await insert(
      "kept.db",
      ["-", "--ignore"],
      '{"id": 1, "title": "x"}\n{"id": 3, "title": "c"}\n',
    );
    expect(ignored.stdout).to.equal("1 row inserted into books\n");
    const replaced = await insert("kept.db", ["-", "--replace", "--alter"], "id,title,year\n2,B,1815\n");
    expect(replaced.stdout).to.equal("1 row inserted into books\n");
    expect(await query("kept.db", "select * from books")).to.deep.equal([
      { id: 1, title: "Emma", price: 7.5, year: null },
      { id: 2, title: "B", price: null, year: 1815 },
      { id: 3, title: "c", price: null, year: null },
    ]);
  });

  it("inserts nothing if one row is invalid, and names the row in one line", async () => {
    await place.database("strict.db", BOOKS);

    const ended = await insert("strict.db", ["-"], '{"title": "a"}\n{"title": null}\n{"id": 9}\n');

    expect(ended).to.deep.equal({
      code: 1,
      stdout: "",
      stderr: "Error: Row 1 (line 2): NOT NULL constraint failed: books.title (and 1 more)\n",
    });
    expect(await query("strict.db", "select * from books")).to.deep.equal([]);
  });

  describe("names the mistake", () => {
    before(async () => {
      await place.database("data.db", `${BOOKS} create view v as select 1;`);
      place.write({
        "a.csv": "id,title\n1,a\n",
        "x.csv": "x\n1\n",
        "text.db": "this is not a database, by far",
      });
    });
    const ended = endings(place, {
      "a column": ["insert", "data.db", "books", "x.csv"],
      "a view": ["insert", "data.db", "v", "a.csv"],
      "the engine's own": ["insert", "data.db", "sqlite_schema", "a.csv"],
      "another key": ["insert", "data.db", "books", "a.csv", "--pk", "title"],
      "no key": ["insert", "data.db", "other", "a.csv", "--upsert"],
      "no file": ["insert", "data.db", "books", "gone.csv"],
      "no database": ["insert", "gone.db", "books", "a.csv"],
      "two formats": ["insert", "data.db", "books", "a.csv", "--csv", "--nl"],
      "two ways": ["insert", "data.db", "books", "a.csv", "--upsert", "--ignore"],
      "no table": ["insert", "data.db"],
      "no SQLite": ["insert", "text.db", "books", "a.csv"],
    });
    const messages: [name: string, code: number, message: string][] = [
      ["a column", 1, "Row 0 (line 2) has invalid columns: x"],
      ["a view", 1, "v is a view"],
      ["the engine's own", 1, "object name reserved for internal use: sqlite_schema"],
      ["another key", 1, "pk cannot be changed for existing table"],
      ["no key", 1, "--upsert needs --pk: there is no table other yet"],
      ["no file", 2, "Invalid value for 'FILE': Path 'gone.csv' does not exist."],
      ["no database", 2, "Invalid value for 'DATABASE': Path 'gone.db' does not exist; --create makes it."],
      ["two formats", 2, "Only one of --csv, --tsv, --nl and --json can be used"],
      ["two ways", 2, "Only one of --upsert, --replace and --ignore can be used"],
      ["no table", 2, "Missing argument 'TABLE'."],
      ["no SQLite", 1, "text.db is not a database"],
    ];
    for (const [name, code, message] of messages) {
      it(`for ${name}`, () => {
        const { stdout, stderr, ...end } = ended(name);

        expect({ stdout, end, last: stderr.trimEnd().split("\n").at(-1) }).to.deep.equal({
          stdout: "",
          end: { code },
          last: `Error: ${message}`,
        });
      });
    }

    it("without making a file", () => {
      expect(ended("no database").code).to.equal(2);
      expect(existsSync(join(place.folder, "gone.db"))).to.equal(false);
    });
  });
});
