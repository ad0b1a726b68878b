import { expect } from "chai";
import { NotBegun, type AskLimits } from "../../../../plugins/sqlite/isolation/in-flight.js";
import type { SentQuery } from "../../../../plugins/sqlite/isolation/messages.js";
import { SqlProcess } from "../../../../plugins/sqlite/isolation/process.js";
import { fileUri } from "../../../../plugins/sqlite/open/open-connection.js";
import { failure } from "../../../harness/failures.js";
import { closeWhenDone } from "../../../harness/lifetimes.js";
import { buildDatabase } from "../../../harness/raw-sqlite.js";
import { until } from "../../../harness/until.js";
import { freshPath } from "../open-sqlite.js";
import { isRunning, STUCK } from "./children.js";

const SOURCE = "library";
const HOUR_MS = 3_600_000;
const MEBIBYTE = 1_048_576;

describe("a process for untrusted SQL", function () {
  let started: SqlProcess;
  before(function () {
    if (process.platform !== "linux") this.skip();
  });
  beforeEach(async () => {
    const path = await freshPath();
    await buildDatabase(path, "create table books (title); insert into books values ('Emma')");
    started = await SqlProcess.start({ memoryBytes: 512 * MEBIBYTE, changed: () => undefined });
    closeWhenDone({ close: async () => started.kill() });
    const uri = fileUri(path);
    await started.open(SOURCE, {
      location: { name: "library", mutable: true, uri },
      base: uri,
      path,
      cacheSizeKb: 0,
      loadExtensions: [],
      heapLimitBytes: started.heapLimitBytes,
      operations: [],
    });
  });

  const read = async (sql: string, limits: Partial<AskLimits> = {}): Promise<string> => {
    const query = queryOf(sql, limits.timeLimitMs ?? HOUR_MS);
    const { body } = await started.ask(
      { type: "read", source: SOURCE, query },
      { timeLimitMs: HOUR_MS, ...limits },
    );
    return body.toString();
  };

  it("answers what was sent together, each with its own rows", async () => {
    const numbers = Array.from({ length: 50 }, (_, index) => index);

    const rows = await Promise.all(numbers.map((number) => read(`select ${number}, title from books`)));

    expect(rows).to.deep.equal(numbers.map((number) => `[${number}, "Emma"]`));
  });

  it("continues after a statement that fails", async () => {
    const [failed, ...rows] = await Promise.all([
      failure(read("select nosuch from books")),
      read("select 1"),
      read("select 2"),
    ]);

    expect(failed.message).to.include("no such column: nosuch");
    expect(rows).to.deep.equal(["[1]", "[2]"]);
  });

  it("fails the statement that runs when it dies; those behind it did not begin", async () => {
    const running = failure(read(STUCK));
    const behind = [failure(read("select 1")), failure(read("select 2"))];
    await until(() => started.isBusy);

    process.kill(started.pid ?? 0, "SIGSEGV");

    expect(await running).to.include({ name: "DatabaseUnavailable", status: 503 });
    expect(await running).not.to.be.instanceOf(NotBegun);
    for (const error of await Promise.all(behind)) expect(error).to.be.instanceOf(NotBegun);
    await started.ended;
    expect(await failure(read("select 3"))).to.be.instanceOf(NotBegun);
  });

  it("is killed when a statement does not stop at its limit; those behind it did not begin", async () => {
    const running = failure(read(STUCK, { timeLimitMs: 100 }));
    const behind = failure(read("select 1", { timeLimitMs: 100 }));

    expect((await running).name).to.equal("QueryInterrupted");
    expect(await behind).to.be.instanceOf(NotBegun);
    await until(() => !isRunning(started.pid ?? 0));
  });

  it("returns what waits behind a long statement, which runs on", async () => {
    const caller = new AbortController();
    const running = failure(read(STUCK, { signal: caller.signal }));
    const behind = [failure(read("select 1")), failure(read("select 2"))];

    started.recallBehind(0);

    for (const error of await Promise.all(behind)) expect(error).to.be.instanceOf(NotBegun);
    expect([started.isBusy, started.isHeldUp, started.isAlive]).to.deep.equal([true, true, true]);
    caller.abort();
    expect((await running).name).to.equal("QueryInterrupted");
  });

  it("drops a waiting statement whose caller has left, and nothing else", async () => {
    const slow =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) select max(i) from n";
    const caller = new AbortController();
    const running = read(slow);
    const dropped = failure(read("select 1", { signal: caller.signal }));
    const last = read("select 2");

    caller.abort();

    expect((await dropped).name).to.equal("QueryInterrupted");
    expect(await Promise.all([running, last])).to.deep.equal(["[300000]", "[2]"]);
  });

  it("does not count the time in which a statement waits against its limit", async () => {
    const slow =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 6000000) select max(i) from n";

    const rows = await Promise.all([read(slow), read("select 1", { timeLimitMs: 250 })]);

    expect(rows).to.deep.equal(["[6000000]", "[1]"]);
  });
});

const queryOf = (sql: string, timeLimitMs: number): SentQuery => ({
  sql,
  params: undefined,
  timeLimitMs,
  maxRows: undefined,
  maxCells: undefined,
  columns: undefined,
  allowlist: undefined,
  format: { kind: "json", shape: "arrays", infinity: "null" },
  lockWaitMs: 0,
});
