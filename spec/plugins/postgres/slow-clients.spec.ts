import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";

const IDLE_LIMIT_MS = 50;

describePostgres("a stream from PostgreSQL", (server) => {
  it("continues after its client has paused for longer than the server allows transactions to be idle", async () => {
    const uri = await server().createDatabase(
      "create table numbers (n int primary key); insert into numbers select generate_series(1, 100)",
    );
    const name = uri.split("/").at(-1) ?? "";
    await server().run(`alter database ${name} set idle_in_transaction_session_timeout to ${IDLE_LIMIT_MS}`);
    const { rowhouse } = await rowhouseFor();
    const database = await rowhouse.addDatabase({ uri, name: "shop", mutable: true });

    let count = 0;
    for await (const { rows } of database.stream("select n from numbers", [], { batchSize: 60 })) {
      count += rows.length;
      await sleep(IDLE_LIMIT_MS * 6);
    }

    expect(count).to.equal(100);
  });
});
