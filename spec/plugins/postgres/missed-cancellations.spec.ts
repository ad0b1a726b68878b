import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { failure } from "../../harness/failures.js";
import { rowhouseFor } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

describePostgres("a cancellation that a server gets before the statement", (server) => {
  it("is sent again at the time limit", async () => {
    const rowhouse = await rowhouseFor({ settings: { postgres_sessions: 1 } });
    const uri = await server().createDatabase();
    const database = await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    const [[pid = 0] = []] = (await database.read("select pg_backend_pid()")).rows;
    const caller = new AbortController();
    const started = performance.now();

    // As if the server were busy: it gets the signal first, and then reads the statement.
    process.kill(Number(pid), "SIGSTOP");
    const reading = failure(
      database.read("select pg_sleep(20)", [], { signal: caller.signal, timeLimitMs: 500 }),
    );
    await sleep(50);
    caller.abort();
    await sleep(100);
    process.kill(Number(pid), "SIGCONT");

    expect((await reading).name).to.equal("QueryInterrupted");
    expect(performance.now() - started).to.be.below(10_000);
    expect((await database.read("select 1")).rows).to.deep.equal([[1]]);
  });
});
