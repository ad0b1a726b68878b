import { chmodSync, mkdirSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "chai";
import { clock, nodeVersion } from "../../../plugins/doctor/installation.js";
import { workplace } from "../../cli/command.js";
import { openRaw } from "../../harness/raw-sqlite.js";

const SECRET = "a-secret-of-at-least-thirty-two-bytes";

const facetsOn = (column: string): object => ({
  databases: { facets: { tables: { t: { facets: [column] } } } },
});

describe("rowhouse doctor", () => {
  const place = workplace();
  const at = (name: string): string => join(place.folder, name);
  const doctor = (...words: readonly string[]) => place.call(["doctor", ...words]);

  it("finds nothing wrong with a sound file", async () => {
    await place.database("sound.db", "pragma journal_mode = wal; create table t (id integer primary key)");

    const { code, stdout, stderr } = await doctor("sound.db", "--secret", SECRET);

    expect([code, stderr]).to.deep.equal([0, ""]);
    expect(stdout).to.match(
      /^ok {7}Node: \d+\.\d+\.\d+\nok {7}SQLite: 3\.\d+\.\d+\nok {7}Secret: Given\nok {7}Clock: /,
    );
    expect(stdout).to.include("ok       Plugins: Rowhouse ");
    expect(stdout).to.include(
      "ok       sound.db: Has a write-ahead log\nok       sound.db: Is not damaged\n",
    );
    expect(stdout).to.not.match(/warning|problem/);
  });

  it("says what is wrong with a database, and what to do", async () => {
    await place.database(
      "shop.db",
      `create table customer (id integer primary key, name text);
       create table purchase (id integer primary key, customer_id integer references customer(id), item integer references customer(id));
       create index purchase_item on purchase (item);
       insert into purchase values (1, 7, null), (2, 8, null);`,
    );
    chmodSync(at("shop.db"), 0o666);
    utimesSync(at("shop.db"), new Date(), new Date(Date.now() + 86_400_000));

    const { code, stdout } = await doctor("shop.db");

    expect(code).to.equal(0);
    for (const text of [
      "warning  Secret: None: tokens and cookies end with the process\n         Set ROWHOUSE_SECRET to the output of: node -p",
      "warning  shop.db: All users of this machine can change it\n         Run: chmod o-w ",
      "warning  shop.db: Was changed in the future\n         Check the clock of this machine",
      "warning  shop.db: Journal mode delete: readers and writers wait for each other\n",
      "warning  shop.db: 2 rows of purchase refer to rows that do not exist\n",
      'warning  shop.db: purchase: the foreign key customer_id to customer has no index\n         Run the statement: create index "purchase_customer_id" on "purchase"("customer_id")\n',
    ])
      expect(stdout).to.include(text);
    expect(stdout).to.not.include("foreign key item");
  });

  it("finds foreign keys that SQLite can't check, and checks the others", async () => {
    await place.database(
      "keys.db",
      `create table place (name text);
       create table visit (id integer primary key, place text references place(name));
       create table note (id integer primary key, visit integer references visit(id));
       insert into note values (1, 7);`,
    );

    const { code, stdout } = await doctor("keys.db");

    expect(code).to.equal(0);
    expect(stdout).to.include("ok       keys.db: Is not damaged\n");
    expect(stdout).to.include("warning  keys.db: 1 row of note refers to a row that does not exist\n");
    expect(stdout).to.include(
      'warning  keys.db: foreign key mismatch - "visit" referencing "place": programs that enforce foreign keys can\'t write\n' +
        "         Make a unique index over exactly the columns to which the key refers\n",
    );
  });

  it("advises commands that a shell understands, whatever the names of files and tables", async () => {
    await place.database(
      "the shop's.db",
      `create table "it's" (id integer primary key, a integer references "it's"(id));
       insert into "it's" values (1, 7);`,
    );

    const { stdout } = await doctor("the shop's.db");

    for (const command of [
      `sqlite3 'the shop'\\''s.db' 'pragma journal_mode = wal'\n`,
      `sqlite3 'the shop'\\''s.db' 'pragma foreign_key_check("it'\\''s")'\n`,
    ])
      expect(stdout).to.include(command);
  });

  it("advises commands that find the file from the folder of the command", async () => {
    mkdirSync(at("files"));
    await place.database("files/shop.db");

    const { stdout } = await doctor("files/shop.db");

    expect(stdout).to.include("sqlite3 files/shop.db 'pragma journal_mode = wal'\n");
  });

  it("says which facets of the configuration, or of a metadata file, need an index", async () => {
    await place.database("facets.db", "create table t (id integer primary key, year, place)");
    place.write({ "site.json": { metadata: facetsOn("year") }, "metadata.json": facetsOn("place") });

    const [configured, given] = await Promise.all([
      doctor("facets.db", "-c", "site.json"),
      doctor("facets.db", "-m", "metadata.json"),
    ]);
    const missing = await doctor("facets.db", "-m", "none.json");

    expect(configured.stdout).to.include(
      'warning  facets.db: t: the facet year has no index\n         Run the statement: create index "t_year" on "t"("year")\n',
    );
    expect(configured.stdout).to.not.include("facet place");
    expect(given.stdout).to.include("the facet place has no index");
    expect([configured.code, given.code, missing.code]).to.deep.equal([0, 0, 1]);
    expect(missing.stderr).to.include("none.json");
  });

  it("checks the files of the configuration if it is given none, and each for its use", async () => {
    await place.database("first.db", "create table t (id integer primary key)");
    await place.database("second.db", "create table t (id integer primary key)");
    await place.database("tokens.db", "create table t (id integer primary key)");
    const files = { files: ["first.db", "postgres://ann@db1/shop"], immutable: ["second.db"] };
    place.write({ "files.json": { ...files, internal: "tokens.db" } });

    const [configured, given] = await Promise.all([
      doctor("-c", "files.json"),
      doctor("second.db", "-c", "files.json"),
    ]);

    expect([configured.code, given.code]).to.deep.equal([0, 0]);
    expect(configured.stdout).to.include("first.db: Is not damaged").and.include("second.db: Is not damaged");
    expect(given.stdout).to.include("second.db: Is not damaged").and.not.include("first.db");
    expect(configured.stdout)
      .to.include("second.db: Is served as immutable")
      .and.not.match(/second\.db: Journal mode/);
    expect(configured.stdout)
      .to.match(/ok {7}\S*tokens\.db: Is not damaged/)
      .and.not.match(/tokens\.db: Journal mode/);
  });

  it("ends with 1 for problems: guessable secrets, locks, damage, files that can't be read", async () => {
    await place.database("locked.db");
    const other = await openRaw(at("locked.db"));
    await other.all("begin immediate");
    await place.database("busy.db");
    const writer = await openRaw(at("busy.db"));
    await writer.all("begin exclusive");
    await place.database(
      "damaged.db",
      "create table t (id integer primary key, text); create index i on t (text); " +
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) insert into t select i, hex(randomblob(20)) from n",
    );
    truncateSync(at("damaged.db"), 81_920);
    await place.database("cut.db");
    truncateSync(at("cut.db"), 8_000);
    writeFileSync(at("letter.db"), "Dear reader, this is no database. ".repeat(40));

    const { code, stdout, stderr } = await doctor(
      "locked.db",
      "busy.db",
      "damaged.db",
      "cut.db",
      "letter.db",
      "none.db",
      "--secret",
      "changeme",
    );
    await other.close();
    await writer.close();

    expect([code, stderr]).to.deep.equal([1, "Error: 7 problems\n"]);
    expect(stdout).to.include(
      "problem  Secret: The secret is an example of the documentation, which is public\n",
    );
    expect(stdout).to.include("problem  locked.db: Another program holds a lock, so writes fail\n");
    expect(stdout).to.include(
      "problem  busy.db: Another program holds a lock, so reads and writes fail\n         Find it with: fuser busy.db\n",
    );
    expect(stdout).to.match(/problem {2}damaged\.db: .+/);
    expect(stdout).to.include("problem  cut.db: Is damaged: its end is missing\n");
    expect(stdout).to.match(/problem {2}letter\.db: .+/);
    expect(stdout).to.match(/problem {2}none\.db: .+/);
    expect(stdout).to.not.include("changeme");
  });

  it("names the table or index that is damaged", async () => {
    await place.database(
      "torn.db",
      "create table t (a); insert into t values (1); create table o (a); create index i on o (a)",
    );
    const file = await open(at("torn.db"), "r+");
    // The fourth page is the first of the index.
    await file.write(Buffer.alloc(4_096, 0xab), 0, 4_096, 3 * 4_096);
    await file.close();

    const { stdout } = await doctor("torn.db");

    expect(stdout).to.match(/problem {2}torn\.db: Is damaged: the index i: Tree 4 page 4: .+\n/);
  });

  it("knows which versions of Node and which times are wrong", () => {
    expect(
      ["18.20.0", "20.18.1", "20.19.0", "24.1.0"].map((version) => nodeVersion(version).level),
    ).to.deep.equal(["problem", "problem", "ok", "ok"]);
    expect(clock(new Date("1970-01-01")).level).to.equal("problem");
  });
});
