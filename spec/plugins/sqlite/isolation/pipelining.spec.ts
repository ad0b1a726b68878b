import { expect } from "chai";
import type { Database } from "rowhouse/plugin-api";
import { failure } from "../../../harness/failures.js";
import { sqliteFile } from "../open-sqlite.js";
import { doubling, STUCK } from "./children.js";

const UNTRUSTED = { trust: "untrusted" } as const;
const COUNT = 20;

/** Enough new statements for the pool to expect short ones, so that it sends several to one process. */
async function databaseWithShortStatements(processes: number, memoryMb: number): Promise<Database> {
  const settings = {
    num_sql_processes: processes,
    sql_process_memory_mb: memoryMb,
    sql_time_limit_ms: 1_000,
  };
  const { database } = await sqliteFile("create table t (a); insert into t values (7)", { settings });
  for (let index = 0; index < COUNT; index++) await database.read(`select ${index} as warm`, [], UNTRUSTED);
  return database;
}

/** The rows of many short statements, each of which has another answer. */
const readShort = async (database: Database): Promise<readonly unknown[]> =>
  Promise.all(
    Array.from({ length: COUNT }, async (_, index) => {
      const { rows } = await database.read("select a + ? from t", [index], {
        ...UNTRUSTED,
        timeLimitMs: 60_000,
      });
      return rows[0]?.[0];
    }),
  );

const EXPECTED = Array.from({ length: COUNT }, (_, index) => 7 + index);

describe("statements behind others in one process", () => {
  const hostile = {
    "has to be killed": [STUCK, "QueryInterrupted", 130],
    // A fast machine needs more than 130 MiB for it before its time is over.
    "is killed while it is prepared": [doubling(24), "QueryInterrupted", 4096],
    "needs too much memory": [
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000000) " +
        "select count(distinct randomblob(1000)) from n",
      "SqlFailed",
      130,
    ],
  } as const;
  for (const [what, [sql, name, memoryMb]] of Object.entries(hostile)) {
    it(`get their answers when the one before them ${what}`, async () => {
      const database = await databaseWithShortStatements(1, memoryMb);
      // Memory is what ends the last one, however slow the machine.
      const timeLimitMs = name === "SqlFailed" ? 600_000 : 300;

      const [before, ended, behind] = await Promise.all([
        readShort(database),
        failure(database.read(sql, [], { ...UNTRUSTED, timeLimitMs })),
        readShort(database),
      ]);

      expect(ended.name).to.equal(name);
      expect([before, behind]).to.deep.equal([EXPECTED, EXPECTED]);
    });
  }

  it("are sent elsewhere when the one before them takes long", async () => {
    const database = await databaseWithShortStatements(2, 131);
    const caller = new AbortController();
    const hour = { ...UNTRUSTED, timeLimitMs: 3_600_000, signal: caller.signal };
    const long = failure(database.read(STUCK, [], hour));

    const rows = await readShort(database).finally(() => caller.abort());

    expect(rows).to.deep.equal(EXPECTED);
    expect((await long).name).to.equal("QueryInterrupted");
  });

  it("are not begun when their caller has left", async () => {
    const database = await databaseWithShortStatements(1, 132);
    const [first, second] = [new AbortController(), new AbortController()];
    const hour = { ...UNTRUSTED, timeLimitMs: 3_600_000 };
    const long = failure(database.read(STUCK, [], { ...hour, signal: first.signal }));
    const left = failure(database.read("select a from t", [], { ...hour, signal: second.signal }));
    const stays = database.read("select a + 1 from t", [], hour);

    second.abort();

    expect((await left).name).to.equal("QueryInterrupted");
    first.abort();
    expect((await long).name).to.equal("QueryInterrupted");
    expect((await stays).rows).to.deep.equal([[8]]);
  });
});
