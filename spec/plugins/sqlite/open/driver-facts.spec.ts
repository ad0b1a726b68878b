import { existsSync } from "node:fs";
import { expect } from "chai";
import sqlite3 from "sqlite3";
import { closeWhenDone } from "../../../harness/lifetimes.js";
import { failure } from "../../../harness/failures.js";
import { freshPath } from "../open-sqlite.js";

/** What the engine works around. A failure here after an upgrade means: a workaround may go, or must change. */
describe("npm sqlite3", () => {
  let handle: sqlite3.Database;
  beforeEach(async () => {
    handle = await open(":memory:");
  });

  it("merges columns of one name and sorts numeric ones first", async () => {
    const [row] = await all(handle, 'select 1 as a, 2 as a, 3 as "2", 4 as "1"');

    expect(Object.keys(row ?? {})).to.deep.equal(["1", "2", "a"]);
  });

  it("loses a column called __proto__", async () => {
    const [row] = await all(handle, "select 1 as __proto__, 2 as b");

    expect(Object.keys(row ?? {})).to.deep.equal(["b"]);
  });

  it("rounds integers beyond 2^53", async () => {
    expect(await all(handle, "select 9007199254740993 as n")).to.deep.equal([{ n: 9007199254740992 }]);
  });

  it("has no columns for an empty result", async () => {
    expect(await all(handle, "select 1 as a where 0")).to.deep.equal([]);
  });

  it("binds integers beyond 32 bits, whole REALs and bigints as something else", async () => {
    const sql = "select typeof(?) as wide, typeof(?) as whole, typeof(?) as big";

    expect(await all(handle, sql, [5_000_000_000, 12.0, 1n])).to.deep.equal([
      { wide: "real", whole: "integer", big: "null" },
    ]);
  });

  it("runs the first of several statements and drops the rest", async () => {
    expect(await all(handle, "select 1 as a; select nosuch")).to.deep.equal([{ a: 1 }]);
  });

  it("keeps the values of an earlier run when none are given", async () => {
    const statement = handle.prepare("select ? as value");
    closeWhenDone({ close: () => new Promise((resolve) => statement.finalize(() => resolve())) });
    await run(statement, ["secret"]);

    expect(await run(statement, [])).to.deep.equal([{ value: "secret" }]);
  });

  it("takes no name that the statement does not have", async () => {
    const error = await failure(all(handle, "select :a", { ":a": 1, ":b": 2 } as never));

    expect(error.message).to.match(/^SQLITE_RANGE/);
  });

  it("prefixes messages with their code", async () => {
    const error = await failure(all(handle, "select nosuch"));

    expect(error).to.include({ message: "SQLITE_ERROR: no such column: nosuch", code: "SQLITE_ERROR" });
  });

  it("loses an interrupt that comes before the statement runs", async () => {
    const counting = all(handle, `${numbers(300_000)} select count(*) as n from n`);
    handle.interrupt();

    // Either is possible, depending on how far the other thread is; the engine repeats the interrupt.
    await counting.catch((error: Error) => expect(error.message).to.match(/^SQLITE_INTERRUPT/));
  });

  it("stays interrupted while an EXPLAIN that has run is not reset", async () => {
    const explain = handle.prepare("explain select 1");
    await run(explain, []);
    const endless = failure(
      all(
        handle,
        "with recursive n(i) as (select 1 union all select i from n) select * from n limit -1 offset 1000000000",
      ),
    );
    const repeat = setInterval(() => handle.interrupt(), 10);
    await endless;
    clearInterval(repeat);

    expect((await failure(all(handle, "select 1"))).message).to.match(/^SQLITE_INTERRUPT/);

    await new Promise<void>((resolve) => explain.finalize(() => resolve()));
    expect(await all(handle, "select 1 as a")).to.deep.equal([{ a: 1 }]);
  });

  it("writes files from a read-only connection through VACUUM INTO, unless nothing may be attached", async () => {
    const path = await freshPath();
    (await open(path, sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE)).exec("create table t (a)");
    const reader = await open(path, sqlite3.OPEN_READONLY);
    await all(reader, `vacuum into '${path}.first'`);
    reader.configure("limit", sqlite3.LIMIT_ATTACHED, 0);

    const error = await failure(all(reader, `vacuum into '${path}.second'`));

    expect(error.message).to.match(/too many attached databases/);
    expect([existsSync(`${path}.first`), existsSync(`${path}.second`)]).to.deep.equal([true, false]);
  });

  it("has no function that loads extensions from SQL", async () => {
    expect((await failure(all(handle, "select load_extension('x')"))).message).to.match(/not authorized/);
  });
});

const numbers = (count: number): string =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;

async function open(file: string, mode?: number): Promise<sqlite3.Database> {
  const handle = await new Promise<sqlite3.Database>((resolve, reject) => {
    const flags = mode ?? sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE;
    const opening: sqlite3.Database = new sqlite3.Database(file, flags, (error) =>
      error === null ? resolve(opening) : reject(error),
    );
  });
  closeWhenDone({ close: () => new Promise((resolve) => handle.close(() => resolve())) });
  return handle;
}

const all = (
  handle: sqlite3.Database,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> =>
  new Promise((resolve, reject) =>
    handle.all<Record<string, unknown>>(sql, values, (error, rows) =>
      error === null ? resolve(rows) : reject(error),
    ),
  );

const run = (statement: sqlite3.Statement, values: readonly unknown[]): Promise<unknown[]> =>
  new Promise((resolve, reject) =>
    statement.all(values, (error, rows) => (error === null ? resolve(rows) : reject(error))),
  );
