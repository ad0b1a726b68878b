import { statfs, symlink } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Database } from "rowhouse/plugin-api";
import { closeWhenDone } from "../../../harness/lifetimes.js";
import { buildDatabase, openRaw, type RawDatabase } from "../../../harness/raw-sqlite.js";
import { freshPath, openSqlite } from "../open-sqlite.js";

/** The times of files are relied on if their last change is older. */
const SETTLED_MS = 1_600;
const EXT4 = 0xef53;
const TMPFS = 0x01021994;
const OVERLAY = 0x794c7630;

interface Case {
  readonly database: Database;
  /** Another program with the file. */
  readonly other: RawDatabase;
}

/** A database that another program writes, in this journal mode. */
async function openCase(journalMode: string, { linked }: { readonly linked: boolean }): Promise<Case> {
  const path = await freshPath();
  await buildDatabase(path, `pragma journal_mode = ${journalMode}; create table t (a)`);
  const link = await freshPath("link.db");
  if (linked) await symlink(path, link);
  const other = await openRaw(path);
  closeWhenDone(other);
  await other.run(`pragma journal_mode = ${journalMode}; pragma synchronous = off`);
  return { database: await openSqlite(`file:${linked ? link : path}`), other };
}

async function isFastOn(path: string): Promise<boolean> {
  return [EXT4, TMPFS, OVERLAY].includes((await statfs(path)).type);
}

/** Whether SQLite is not asked for the version twice in a row. A slow machine may take longer than the interval. */
async function keepsVersion(database: Database): Promise<boolean> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const before = await database.version();
    if ((await database.version()) === before) return true;
  }
  return false;
}

describe("the version of a SQLite file", () => {
  it("changes with each commit of another program, also after a pause", async () => {
    const cases = [
      ["delete", { linked: false }],
      ["truncate", { linked: false }],
      ["persist", { linked: false }],
      ["wal", { linked: false }],
      ["wal", { linked: true }],
    ] as const;
    await Promise.all(
      cases.map(async ([mode, how]) => {
        const { database, other } = await openCase(mode, how);
        for (const pauseMs of [0, 0, 0, SETTLED_MS, 0, 0, 20, 0]) {
          await sleep(pauseMs);
          const before = await database.version();
          expect(await database.version(), mode).to.deep.equal(before);
          await other.run("insert into t values (1)");
          expect(await database.version(), `${mode} after ${pauseMs} ms`).not.to.deep.equal(before);
        }
      }),
    );
  });

  it("changes with each own commit, also after a pause", async () => {
    const { database } = await openCase("wal", { linked: false });
    for (const pauseMs of [0, SETTLED_MS, 0]) {
      await sleep(pauseMs);
      const before = await database.version();
      await database.write((transaction) => transaction.run("insert into t values (1)"));
      expect(await database.version()).not.to.deep.equal(before);
    }
  });

  it("is not read again while the times of the files are the same", async function () {
    const { database, other } = await openCase("delete", { linked: false });
    const { path } = await database.describe();
    // On other file systems SQLite is always asked.
    if (path === null || !(await isFastOn(path))) return this.skip();

    await other.run("insert into t values (1)");
    expect(await keepsVersion(database), "just after a commit").to.equal(false);
    await sleep(SETTLED_MS);
    expect(await keepsVersion(database), "after a pause").to.equal(true);
  });

  it("is always read for a database in memory", async () => {
    const database = await openSqlite("memory:");

    expect(await keepsVersion(database)).to.equal(false);
  });
});
