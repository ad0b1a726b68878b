import { rename } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Database } from "rowhouse/plugin-api";
import { closeWhenDone } from "../../../harness/lifetimes.js";
import { buildDatabase, openRaw } from "../../../harness/raw-sqlite.js";
import { until } from "../../../harness/until.js";
import { sqliteFile } from "../open-sqlite.js";

const TABLE = "create table t (id integer primary key, a)";

/** Stores one row, with a bulk form. */
const insert = (database: Database, id: number): Promise<unknown> =>
  database.write((transaction) => transaction.run("insert into t (id) values (?)", [id]), {
    bulk: {
      sql: "insert into t (id) select value from json_each(?)",
      items: [String(id)],
      result: () => null,
    },
  });

interface Attempt {
  readonly id: number;
  readonly beganMs: number;
  readonly endedMs: number;
  /** Null if the row was stored. */
  readonly error: Error | null;
}

/** Clients that each insert one row after the other, until `stop`. */
class Clients {
  readonly attempts: Attempt[] = [];
  readonly #working: Promise<unknown>;
  #isOver = false;
  #ids = 0;

  constructor(private readonly database: Database) {
    this.#working = Promise.all(Array.from({ length: 16 }, () => this.#work()));
  }

  get stored(): readonly Attempt[] {
    return this.attempts.filter(({ error }) => error === null);
  }

  get complaints(): readonly string[] {
    return this.attempts.flatMap(({ error }) => (error === null ? [] : [error.message]));
  }

  /** Resolves after a few inserts per client that began after `beganMs`. */
  async continue(beganMs = performance.now()): Promise<void> {
    await until(() => this.stored.filter((attempt) => attempt.beganMs > beganMs).length > 64);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    while (!this.#isOver) {
      const id = (this.#ids += 1);
      const beganMs = performance.now();
      const error = await insert(this.database, id).then(
        () => null,
        (reason: Error) => reason,
      );
      this.attempts.push({ id, beganMs, endedMs: performance.now(), error });
      if (error !== null) await sleep(1);
    }
  }
}

const idsIn = async (path: string): Promise<ReadonlySet<unknown>> => {
  const raw = await openRaw(path);
  closeWhenDone(raw);
  return new Set((await raw.all("select id from t")).map(({ id }) => id));
};

const idsOf = (attempts: readonly Attempt[]): readonly number[] => attempts.map(({ id }) => id);

describe("inserts of clients that each send the next one after an answer", () => {
  it("are all stored, beside other writes and inserts that fail", async () => {
    const { database, path } = await sqliteFile(`${TABLE}; insert into t (id) values (1000000)`);
    const clients = new Clients(database);

    const outcomes: string[] = [];
    for (let round = 0; round < 40; round++) {
      await database.write((transaction) =>
        transaction.run("update t set a = ? where id = 1000000", [round]),
      );
      const outcome = await insert(database, 1_000_000).then(
        () => "stored",
        ({ message }: Error) => message,
      );
      outcomes.push(outcome);
    }
    await clients.stop();

    expect(new Set(outcomes)).to.deep.equal(new Set(["UNIQUE constraint failed: t.id"]));
    expect(clients.complaints).to.deep.equal([]);
    expect(await idsIn(path)).to.deep.equal(new Set([...idsOf(clients.stored), 1_000_000]));
  });

  it("are answered beside writes with an invalid bulk form, whose work runs instead", async () => {
    const { database, path } = await sqliteFile(TABLE);
    const clients = new Clients(database);
    const bulk = { sql: "", items: ["1"], result: () => "the list" };

    const outcomes: string[] = [];
    for (let round = 0; round < 40; round++)
      outcomes.push(await database.write(async () => "the work", { bulk }));
    await clients.stop();

    expect(new Set(outcomes)).to.deep.equal(new Set(["the work"]));
    expect(clients.complaints).to.deep.equal([]);
    expect(await idsIn(path)).to.deep.equal(new Set(idsOf(clients.stored)));
  });

  it("wait while another program holds the lock", async () => {
    const { database, path } = await sqliteFile(TABLE);
    const raw = await openRaw(path);
    closeWhenDone(raw);
    const clients = new Clients(database);

    for (let round = 0; round < 20; round++) {
      await raw.run("pragma busy_timeout = 20000; begin immediate; insert into t (id) values (null)");
      await sleep(5);
      await raw.run("commit");
      await clients.continue();
    }
    await clients.stop();

    // The other program may have used a key of a client.
    const taken = "UNIQUE constraint failed: t.id";
    expect(clients.complaints.filter((message) => message !== taken)).to.deep.equal([]);
    const found = await idsIn(path);
    expect(idsOf(clients.stored).filter((id) => !found.has(id))).to.deep.equal([]);
  });

  it("go into the file that replaces the other one, from the moment of the replacement", async () => {
    const { database, path } = await sqliteFile(TABLE);
    await buildDatabase(`${path}.new`, TABLE);
    const clients = new Clients(database);
    await clients.continue();

    await rename(`${path}.new`, path);
    const replacedMs = performance.now();
    await clients.continue(replacedMs);
    await clients.stop();

    expect(clients.complaints).to.deep.equal([]);
    const found = await idsIn(path);
    const after = clients.stored.filter(({ beganMs }) => beganMs > replacedMs);
    expect(idsOf(after).filter((id) => !found.has(id))).to.deep.equal([]);
  });

  for (const mode of ["delete", "wal"]) {
    it(`fail while the file is gone, and continue when it is back (${mode})`, async () => {
      const { database, path } = await sqliteFile(`pragma journal_mode = ${mode}; ${TABLE}`);
      const clients = new Clients(database);
      await clients.continue();

      await rename(path, `${path}.away`);
      const goneMs = performance.now();
      await until(() => clients.complaints.length > 64);
      const backMs = performance.now();
      await rename(`${path}.away`, path);
      await clients.continue();
      await clients.stop();

      expect(new Set(clients.complaints)).to.deep.equal(new Set(["The database file is missing."]));
      const meanwhile = clients.stored.filter(({ beganMs, endedMs }) => beganMs > goneMs && endedMs < backMs);
      expect(meanwhile).to.deep.equal([]);
      const found = await idsIn(path);
      expect(idsOf(clients.stored).filter((id) => !found.has(id))).to.deep.equal([]);
    });
  }
});
