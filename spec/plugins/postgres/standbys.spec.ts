import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { Client } from "pg";
import { rowhouseFor } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { until } from "../../harness/until.js";
import { startPair, type Pair } from "./pair.js";

const COUNT = "/shop/notes.json?_size=0&_nosuggest=1";

describePostgres("a standby", () => {
  let pair: Pair;
  before(async () => {
    pair = await startPair({ isSynchronous: false });
    await pair.primary.run("create table notes (id int primary key)");
    await replayed(0);
  });
  after(async () => {
    await Promise.all([pair.primary.stop(), pair.standby.stop()]);
  });

  const countOnStandby = async (): Promise<unknown> => {
    const [row] = await pair.standby.run("select count(*)::int as n from notes");
    return row?.["n"];
  };

  const replayed = (count: number): Promise<void> =>
    until(async () => (await countOnStandby().catch(() => null)) === count);

  it("has a new version after each commit, also of transactions that overlap", async () => {
    const rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri: pair.standby.url("postgres"), name: "shop", mutable: true });
    const clients = [0, 1, 2].map(() => new Client({ connectionString: pair.primary.url("postgres") }));
    const versions = new Set<string>();
    for (const [number, client] of clients.entries()) {
      await client.connect();
      await client.query("begin");
      await client.query(`insert into notes values (${number})`);
    }
    for (const [number, client] of clients.toReversed().entries()) {
      await client.query("commit");
      await client.end();
      await replayed(number + 1);
      versions.add((await rowhouse.rowhouse.database("shop").version()).data);
      expect((await rowhouse.get(COUNT)).json["filtered_table_rows_count"]).to.equal(number + 1);
    }

    expect(versions.size).to.equal(3);
  });

  it("rejects writes as a database that is read-only", async () => {
    const rowhouse = await rowhouseFor();
    await rowhouse.rowhouse.addDatabase({ uri: pair.standby.url("postgres"), name: "shop", mutable: true });
    const inserted = await rowhouse.post("/shop/notes/-/insert", { as: "root", json: { row: { id: 9 } } });
    const deleted = await rowhouse.post("/shop/notes/1/-/delete", { as: "root", json: {} });

    expect([inserted.status, deleted.status], inserted.text + deleted.text).to.deep.equal([403, 403]);
  });

  it("is not read from when it has lost its primary for longer than the limit", async () => {
    const { primary, standby } = pair;
    const rowhouse = await rowhouseFor({ settings: { max_replica_lag_seconds: 1 } });
    const uri = `postgres://rowhouse@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    await standby.run("alter system set primary_conninfo to ''");
    await standby.run("select pg_reload_conf()");
    await until(async () => (await standby.run("select 1 from pg_stat_wal_receiver")).length === 0);
    await primary.run("insert into notes values (10)");
    await sleep(3_000);

    expect((await rowhouse.get(COUNT)).json["filtered_table_rows_count"]).to.equal(4);
  });

  it("is left by an export that begins just after it failed", async () => {
    const { primary, standby } = pair;
    const rowhouse = await rowhouseFor({ settings: { max_replica_lag_seconds: 3_600 } });
    const uri = `postgres://rowhouse@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
    await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
    const database = rowhouse.rowhouse.database("shop");
    expect((await database.read("select pg_is_in_recovery()::int")).rows).to.deep.equal([[1]]);
    await standby.crash();
    const numbers = [];

    for await (const { rows } of database.stream("select count(*) from notes")) numbers.push(...rows);

    expect(numbers).to.deep.equal([[4]]);
  });
});
