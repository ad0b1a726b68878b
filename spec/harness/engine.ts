import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import {
  InvalidSql,
  Real,
  type Database,
  type SqlValue,
  type Transaction,
  type WriteOptions,
} from "rowhouse/plugin-api";
import { closeWhenDone } from "./lifetimes.js";
import { failure } from "./failures.js";

/** Opens a fresh, empty database that may be written to. */
export type OpenEngine = () => Promise<Database>;

/**
 * The promises of `Database`, as specs of mocha that use chai, which whoever runs them brings along: every engine, bundled or not, runs them on databases that `open` makes.
 * Engines must understand the SQL in here, which is what Rowhouse's own plugins write.
 */
export function describeEngine(name: string, open: OpenEngine): void {
  describe(`${name} as an engine`, () => {
    const opened = closing(open);
    describeValues(opened);
    describeColumns(opened);
    describeStatements(opened);
    describeLimits(opened);
    describeStreams(opened);
    describeWrites(opened);
    describeSchema(opened);
    describeVersion(opened);
    describeAnalysis(opened);
    describeClosing(opened);
  });
}

const closing =
  (open: OpenEngine): OpenEngine =>
  async () => {
    const database = await open();
    closeWhenDone(database);
    return database;
  };

const ENDLESS = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";
const HOUR_MS = 3_600_000;
const numbers = (count: number): string =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n`;

async function withBooks(open: OpenEngine): Promise<Database> {
  const database = await open();
  await database.write(async (transaction) => {
    await transaction.run("create table books (id integer primary key, title text)");
    await transaction.run("insert into books values (1, 'Emma'), (2, 'Persuasion')");
  });
  return database;
}

const titles = async (database: Database): Promise<readonly SqlValue[]> =>
  (await database.read("select title from books order by id")).rows.map(([title]) => title ?? null);

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

function describeValues(open: OpenEngine): void {
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

    it("writes infinities as words where asked", async () => {
      const database = await open();

      const { rows } = await database.readJson("select 9e999, -9e999", [], { infinity: "words" });

      expect(rows).to.deep.equal(["[Infinity, -Infinity]"]);
    });
  });
}

function describeColumns(open: OpenEngine): void {
  describe("columns", () => {
    it("come in order, duplicates and odd names kept", async () => {
      const database = await open();

      const { columns, rows } = await database.read(
        'select 1 as a, 2 as a, 3 as "2", 4 as "1", 5 as __proto__',
      );

      expect(columns).to.deep.equal(["a", "a", "2", "1", "__proto__"]);
      expect(rows).to.deep.equal([[1, 2, 3, 4, 5]]);
    });

    it("are known for an empty result, and for parameters", async () => {
      const database = await withBooks(open);

      const { columns, rows } = await database.read(
        "select *, count(*), :x from books where id > :x group by id",
        {
          x: 9,
        },
      );

      expect(columns).to.deep.equal(["id", "title", "count(*)", ":x"]);
      expect(rows).to.deep.equal([]);
    });

    it("follow the schema", async () => {
      const database = await withBooks(open);
      await database.read("select * from books");
      await database.write((transaction) => transaction.run("alter table books rename column title to name"));

      const { columns } = await database.read("select * from books");

      expect(columns).to.deep.equal(["id", "name"]);
    });

    it("name members of objects: of equal names the last value stays, at the place of the first", async () => {
      const database = await open();

      const { rows } = await database.readJson('select 1 as a, 2 as b, 3 as a, 4 as "q""t"', [], {
        shape: "objects",
      });

      expect(rows).to.deep.equal(['{"a": 3, "b": 2, "q\\"t": 4}']);
    });
  });
}

function describeStatements(open: OpenEngine): void {
  describe("statements", () => {
    it("are one at a time", async () => {
      const database = await withBooks(open);

      const error = await failure(database.read("select 1; drop table books"));

      expect(error).to.include({
        name: "InvalidSql",
        message: "You can only execute one statement at a time.",
      });
      expect(await titles(database)).to.have.length(2);
    });

    it("may end with semicolons and comments", async () => {
      const database = await open();

      expect((await database.read(" /* a */ select 1 ; ; -- done")).rows).to.deep.equal([[1]]);
      expect((await database.read("select 2 -- no end of line")).rows).to.deep.equal([[2]]);
    });

    for (const sql of ["delete from books", "with x as (select 1) delete from books", "drop table books"]) {
      it(`that change data are refused: ${sql}`, async () => {
        const database = await withBooks(open);

        const error = await failure(database.read(sql));

        expect(error).to.be.instanceOf(InvalidSql);
        expect(await titles(database)).to.have.length(2);
      });
    }

    it("fail with the engine's own words", async () => {
      const database = await open();

      const error = await failure(database.read("select nosuch"));

      expect(error).to.include({ name: "SqlFailed", message: "no such column: nosuch" });
    });

    it("take named values under any prefix and ignore those they do not ask for", async () => {
      const database = await open();

      const { rows } = await database.read("select :a, @a, $a, :b", { a: 1, b: "x", c: "not asked for" });

      expect(rows).to.deep.equal([[1, 1, 1, "x"]]);
    });

    it("miss a value by name", async () => {
      const database = await open();

      const error = await failure(database.read("select :a, :__proto__", { a: 1 }));

      expect(error).to.include({
        name: "SqlFailed",
        message: "You did not supply a value for binding parameter :__proto__.",
      });
    });

    it("never see the values of an earlier run", async () => {
      const database = await open();
      await database.read("select ? as value", ["secret"]);

      expect((await failure(database.read("select ? as value"))).name).to.equal("SqlFailed");
      expect((await database.read("select ? as value", [null])).rows).to.deep.equal([[null]]);
    });
  });
}

function describeLimits(open: OpenEngine): void {
  describe("limits", () => {
    it("cut rows at maxRows and say so, in the statement's order", async () => {
      const database = await open();
      const sql = `${numbers(10)} order by i desc`;

      const three = await database.read(sql, [], { maxRows: 3 });
      const ten = await database.readJson(sql, [], { maxRows: 10 });

      expect(three).to.deep.include({ rows: [[10], [9], [8]], truncated: true });
      expect(ten.rows).to.have.length(10);
      expect(ten.truncated).to.equal(false);
    });

    it("end a statement at its deadline, no sooner, and the next one is safe", async () => {
      const database = await open();
      const started = performance.now();

      const error = await failure(database.read(ENDLESS, [], { timeLimitMs: 50 }));

      expect(error.name).to.equal("QueryInterrupted");
      expect(performance.now() - started).to.be.at.least(45);
      expect((await database.read("select 1")).rows).to.deep.equal([[1]]);
    });

    it("end a statement whose caller goes away", async () => {
      const database = await open();
      const caller = new AbortController();
      const reading = failure(database.read(ENDLESS, [], { timeLimitMs: HOUR_MS, signal: caller.signal }));
      await sleep(30);
      caller.abort();

      expect((await reading).name).to.equal("QueryInterrupted");
    });
  });
}

function describeStreams(open: OpenEngine): void {
  describe("streams", () => {
    it("bring every row in order, in batches", async () => {
      const database = await open();
      const sizes: number[] = [];
      const seen: SqlValue[] = [];

      for await (const { rows, columns } of database.stream(numbers(2_500), [], { batchSize: 1_000 })) {
        expect(columns).to.deep.equal(["i"]);
        sizes.push(rows.length);
        seen.push(...rows.map(([i]) => i ?? null));
      }

      expect(sizes).to.deep.equal([1_000, 1_000, 500]);
      expect(seen).to.deep.equal(Array.from({ length: 2_500 }, (_, index) => index + 1));
    });

    it("tell the columns of an empty result", async () => {
      const database = await withBooks(open);
      const batches = [];

      for await (const batch of database.streamJson("select * from books where 0")) batches.push(batch);

      expect(batches).to.deep.equal([{ columns: ["id", "title"], rows: [], truncated: false }]);
    });

    it("see one snapshot, and keep no writer waiting", async () => {
      const database = await withBooks(open);
      await database.write((transaction) => transaction.run(`insert into books (title) ${numbers(3_000)}`));
      const stream = database.stream("select id from books order by id", [], { batchSize: 100 });
      const iterator = stream[Symbol.asyncIterator]();
      await iterator.next();

      await database.write((transaction) => transaction.run("delete from books"));

      const rest: unknown[] = [];
      for (let step = await iterator.next(); step.done !== true; step = await iterator.next()) {
        rest.push(...step.value.rows.map(([id]) => id));
      }
      expect(rest).to.deep.equal(Array.from({ length: 2_902 }, (_, index) => index + 101));
      expect(await titles(database)).to.deep.equal([]);
    });

    it("leave the database usable when they are left early", async () => {
      const database = await withBooks(open);

      for await (const { rows } of database.stream(numbers(1_000_000))) if (rows.length > 0) break;

      await database.write((transaction) => transaction.run("delete from books"));
      expect(await titles(database)).to.deep.equal([]);
    });

    it("end when their caller goes away", async () => {
      const database = await open();
      const caller = new AbortController();
      const reading = async (): Promise<void> => {
        const options = { signal: caller.signal, batchSize: 10 };
        for await (const { rows } of database.stream(numbers(1_000_000), [], options)) {
          if (rows.length > 0) caller.abort();
        }
      };

      expect((await failure(reading())).name).to.equal("QueryInterrupted");
    });
  });
}

interface Book {
  readonly id: number;
  readonly title: string;
}

const twoBooks = (first: number): readonly [id: number, title: string][] => [
  [first, `Book ${first}`],
  [first + 1, `Book ${first + 1}`],
];

/** Stores books, as a work that is also a list. */
function listed(
  database: Database,
  rows: readonly (readonly [id: number, title: string])[],
  options: WriteOptions = {},
): Promise<readonly Book[]> {
  const sql =
    "insert into books (id, title) select json_extract(value, '$[0]'), json_extract(value, '$[1]') " +
    "from json_each(?) returning id, title";
  const items = rows.map((row) => JSON.stringify(row));
  const result = (stored: readonly string[]): Book[] => stored.map((text) => JSON.parse(text) as Book);
  const work = async (transaction: Transaction): Promise<Book[]> =>
    result((await transaction.allJson(sql, [`[${items.join()}]`], { shape: "objects" })).rows);
  return database.write(work, { ...options, list: { sql, items, result } } as WriteOptions<Book[]>);
}

function describeWrites(open: OpenEngine): void {
  describe("writes", () => {
    it("are seen by every read that starts after they resolved", async () => {
      const database = await withBooks(open);
      await database.write((transaction) =>
        transaction.run("insert into books (title) values (?)", ["Sanditon"]),
      );

      const readings = await Promise.all(Array.from({ length: 8 }, () => titles(database)));

      for (const seen of readings) expect(seen).to.deep.equal(["Emma", "Persuasion", "Sanditon"]);
    });

    it("roll back whole when the work fails, and pass its error on", async () => {
      const database = await withBooks(open);
      const refusal = new Error("no");

      const error = await failure(
        database.write(async (transaction) => {
          await transaction.run("delete from books");
          throw refusal;
        }),
      );

      expect(error).to.equal(refusal);
      expect(await titles(database)).to.have.length(2);
    });

    it("run one at a time in order of arrival, and fail alone", async () => {
      const database = await withBooks(open);
      const order: number[] = [];

      const results = await Promise.allSettled(
        Array.from({ length: 12 }, (_, index) =>
          database.write(async (transaction) => {
            order.push(index);
            await transaction.run("insert into books values (?, ?)", [100 + index, `Book ${index}`]);
            await sleep(1);
            if (index % 3 === 0) await transaction.run("insert into books values (1, 'taken')");
          }),
        ),
      );

      expect(order).to.deep.equal(Array.from({ length: 12 }, (_, index) => index));
      expect(results.map(({ status }) => status === "fulfilled")).to.deep.equal(
        order.map((index) => index % 3 !== 0),
      );
      expect(await titles(database)).to.have.length(2 + 8);
    });

    it("that wait together and fail after their first change, or are only tried, leave the others whole", async () => {
      const database = await withBooks(open);

      const results = await Promise.allSettled(
        Array.from({ length: 12 }, (_, index) =>
          database.write(
            async (transaction) => {
              await transaction.run("insert into books values (?, 'first')", [100 + 2 * index]);
              await transaction.run("insert into books values (?, 'second')", [101 + 2 * index]);
              if (index % 4 === 0) throw new Error("no");
            },
            { dryRun: index % 4 === 1 },
          ),
        ),
      );

      expect(results.map(({ status }) => status === "rejected")).to.deep.equal(
        Array.from({ length: 12 }, (_, index) => index % 4 === 0),
      );
      const { rows } = await database.read("select id from books where id >= 100 order by id");
      const kept = [2, 3, 6, 7, 10, 11].flatMap((index) => [100 + 2 * index, 101 + 2 * index]);
      expect(rows.flat()).to.deep.equal(kept);
    });

    it("that are lists leave what their works would, each by itself, also when one fails", async () => {
      const database = await withBooks(open);

      const results = await Promise.allSettled(
        Array.from({ length: 12 }, (_, index) =>
          listed(database, [[index % 4 === 0 ? 1 : 100 + index, `Book ${index}`]]),
        ),
      );

      const stored = results.map((result) =>
        result.status === "fulfilled" ? result.value : result.reason.message,
      );
      expect(stored).to.deep.equal(
        Array.from({ length: 12 }, (_, index) =>
          index % 4 === 0
            ? "UNIQUE constraint failed: books.id"
            : [{ id: 100 + index, title: `Book ${index}` }],
        ),
      );
      expect(await titles(database)).to.have.length(2 + 9);
    });

    it("that are lists of several items keep them together and in their order", async () => {
      const database = await withBooks(open);
      const stored = await Promise.all([50, 40, 30].map((first) => listed(database, twoBooks(first))));

      expect(stored.flat().map(({ id }) => id)).to.deep.equal([50, 51, 40, 41, 30, 31]);
    });

    it("that are lists and only tried leave nothing", async () => {
      const database = await withBooks(open);

      await Promise.all([
        listed(database, [[50, "Kept"]]),
        listed(database, [[51, "Tried"]], { dryRun: true }),
      ]);

      expect(await titles(database)).to.deep.equal(["Emma", "Persuasion", "Kept"]);
    });

    it("say what a failure was", async () => {
      const database = await withBooks(open);

      const error = await failure(
        database.write((transaction) => transaction.run("insert into books values (1, 'again')")),
      );

      expect(error).to.include({ name: "SqlFailed", kind: "constraint" });
      expect(error.message).to.equal("UNIQUE constraint failed: books.id");
    });

    it("report changes and the last key, exact", async () => {
      const database = await withBooks(open);

      const [inserted, deleted] = await database.write(async (transaction) => [
        await transaction.run("insert into books values (9223372036854775806, 'Last')"),
        await transaction.run("delete from books where id < 10"),
      ]);

      expect(inserted).to.deep.equal({ changes: 1, lastInsertRowid: 9223372036854775806n });
      expect(deleted?.changes).to.equal(2);
    });

    it("return rows, typed and as JSON", async () => {
      const database = await withBooks(open);

      const [typed, json] = await database.write(async (transaction) => [
        await transaction.all("insert into books (title) values (?) returning *, id * 1.0 as half", [
          "Sanditon",
        ]),
        await transaction.allJson(
          "update books set title = upper(title) where id = 1 returning title, ID",
          [],
          {
            shape: "objects",
          },
        ),
      ]);

      expect(typed).to.deep.equal({
        columns: ["id", "title", "half"],
        rows: [[3, "Sanditon", new Real(3)]],
        truncated: false,
      });
      expect(json?.rows).to.deep.equal(['{"title": "EMMA", "id": 1}']);
    });

    it("report and roll back when they are a dry run", async () => {
      const database = await withBooks(open);

      const result = await database.write((transaction) => transaction.run("delete from books"), {
        dryRun: true,
      });

      expect(result.changes).to.equal(2);
      expect(await titles(database)).to.have.length(2);
    });

    it("are refused inside a write of the same database", async () => {
      const database = await withBooks(open);

      const error = await failure(database.write(() => database.write(async () => undefined)));

      expect(error.name).to.equal("NestedWrite");
      await database.write(async () => undefined);
    });

    it("may be asked for after a work, by what the work set going", async () => {
      const database = await withBooks(open);
      let later: Promise<unknown> = Promise.resolve();

      await database.write(async () => {
        later = sleep(10).then(() => database.write((transaction) => transaction.run("delete from books")));
      });
      await later;

      expect(await titles(database)).to.deep.equal([]);
    });

    it("run outside a transaction where asked", async () => {
      const database = await withBooks(open);

      await database.write((transaction) => transaction.run("vacuum"), { transaction: false });

      expect(await titles(database)).to.have.length(2);
    });

    it("can't end or begin transactions themselves", async () => {
      const database = await withBooks(open);

      for (const sql of ["commit", "rollback", "begin", "release work"]) {
        const error = await failure(
          database.write(async (transaction) => {
            await transaction.run("delete from books");
            await transaction.run(sql);
          }),
        );

        expect(error.name).to.equal("InvalidSql");
      }
      expect(await titles(database)).to.have.length(2);
    });
  });
}

function describeSchema(open: OpenEngine): void {
  describe("the schema", () => {
    it("is the same frozen object until it changes", async () => {
      const database = await withBooks(open);
      const before = await database.schema();
      await database.write((transaction) => transaction.run("delete from books"));

      expect(await database.schema()).to.equal(before);
      expect(before).to.satisfy(Object.isFrozen);

      await database.write((transaction) => transaction.run("create table shelves (id integer primary key)"));
      const after = await database.schema();

      expect([...after.tables.keys()]).to.deep.equal(["books", "shelves"]);
      expect(after.version).not.to.equal(before.version);
    });

    it("inside a write shows the write's own changes, to nobody else", async () => {
      const database = await withBooks(open);

      const seen = await database.write(
        async (transaction) => {
          await transaction.run("create table shelves (id integer primary key)");
          return [...(await transaction.schema()).tables.keys()];
        },
        { dryRun: true },
      );

      expect(seen).to.deep.equal(["books", "shelves"]);
      expect([...(await database.schema()).tables.keys()]).to.deep.equal(["books"]);
    });
  });
}

function describeVersion(open: OpenEngine): void {
  describe("the version", () => {
    it("moves with every commit and with nothing else", async () => {
      const database = await withBooks(open);
      const first = await database.version();
      await database.read("select * from books");
      await failure(database.write(() => Promise.reject(new Error("no"))));

      expect(await database.version()).to.deep.equal(first);

      await database.write((transaction) => transaction.run("update books set title = 'x' where id = 1"));
      const second = await database.version();

      expect(second.data).not.to.equal(first.data);
      expect(second.schema).to.equal(first.schema);

      await database.write((transaction) => transaction.run("create table shelves (id integer primary key)"));

      expect((await database.version()).schema).not.to.equal(first.schema);
    });
  });
}

function describeAnalysis(open: OpenEngine): void {
  describe("analysis", () => {
    it("tells kind, tables and parameters without running anything", async () => {
      const database = await withBooks(open);

      const reading = await database.analyse(
        "select count(*) from books where id > :least and title = :title",
      );
      const writing = await database.analyse("delete from books");

      expect(reading).to.deep.equal({
        kind: "select",
        reads: ["books"],
        writes: [],
        parameters: ["least", "title"],
      });
      expect(writing).to.include({ kind: "delete" });
      expect(writing.writes).to.deep.equal(["books"]);
      expect(await titles(database)).to.have.length(2);
    });

    it("says unknown where it can't tell", async () => {
      const database = await open();

      const { kind, reads } = await database.analyse("select * from nosuch");

      expect({ kind, reads }).to.deep.equal({ kind: "unknown", reads: null });
    });
  });
}

function describeClosing(open: OpenEngine): void {
  describe("closing", () => {
    it("finishes what is queued and refuses what comes after", async () => {
      const database = await withBooks(open);
      const writing = database.write((transaction) => transaction.run("delete from books"));
      const reading = titles(database);

      await database.close();

      expect((await writing).changes).to.equal(2);
      await reading;
      expect((await failure(database.read("select 1"))).name).to.equal("DatabaseUnavailable");
    });
  });
}
