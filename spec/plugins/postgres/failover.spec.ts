import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { rowhouseFor } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { readPages, Seen, writeOnce, writeWithKeys, type Client } from "./failover-load.js";
import { startPair, type Pair } from "./pair.js";

const ROUNDS = Number(process.env["ROWHOUSE_FAILOVERS"] ?? 2);
/** Clients of each kind. */
const CLIENTS = [writeWithKeys, writeWithKeys, writeWithKeys, writeOnce, readPages];

const crash = ({ primary }: Pair): Promise<void> => primary.crash();

/** Ends the primary while commits wait for the standby, so that writers don't know whether their rows are stored. */
async function crashDuringCommits({ primary, standby }: Pair): Promise<void> {
  await primary.run("alter system set synchronous_commit to remote_apply");
  await primary.run("select pg_reload_conf()");
  await standby.run("select pg_wal_replay_pause()");
  const waiting = "select 1 from pg_stat_activity where wait_event = 'SyncRep' limit 1";
  for (const end = performance.now() + 60_000; (await primary.run(waiting)).length === 0; await sleep(20))
    if (performance.now() > end) throw new Error("No commit waits for the standby");
  await primary.crash();
}

/** How the primary ends, by turns. */
const ENDS = [crash, crashDuringCommits, ({ primary }: Pair): Promise<void> => primary.kill()];

/** Waits until the clients have stored more rows, for a minute at most. */
async function untilStored(seen: Seen, more: number): Promise<void> {
  const target = seen.acknowledged.size + more;
  for (const end = performance.now() + 60_000; performance.now() < end; await sleep(20))
    if (seen.acknowledged.size >= target) return;
  throw new Error("The writers do not continue");
}

describePostgres("a failover", () => {
  const totals = {
    rounds: 0,
    acknowledged: 0,
    lost: 0,
    twice: 0,
    unknownOutcomes: 0,
    unavailable: 0,
    reads: 0,
    unavailableReads: 0,
  };
  after(() => console.log(`      ${JSON.stringify(totals)}`));

  for (let round = 1; round <= ROUNDS; round += 1) {
    it(`loses no acknowledged row and stores none twice (${round} of ${ROUNDS})`, async () => {
      const { primary, standby } = await startPair({ isSynchronous: true });
      try {
        await primary.run(
          "create table notes (id bigint generated always as identity primary key, text text)",
        );
        const rowhouse = await rowhouseFor();
        const uri = `postgres://rowhouse@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
        await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
        const seen = new Seen();
        let isOver = false;
        const clients = CLIENTS.map((start, index) => {
          const client: Client = { seen, rowhouse, name: `client${index}`, isOver: () => isOver };
          return start(client);
        });
        const all = Promise.all(clients);
        await Promise.race([all, untilStored(seen, 40)]);
        await (ENDS[round % ENDS.length] ?? crash)({ primary, standby });
        await sleep(200);
        await standby.run("select pg_promote()");
        await Promise.race([all, untilStored(seen, 40)]);
        isOver = true;
        await all;

        const rows = await standby.run("select text, count(*)::int as n from notes group by text");
        const found = new Map(rows.map(({ text, n }) => [String(text), Number(n)]));
        const lost = [...seen.acknowledged].filter((text) => !found.has(text));
        const twice = [...found].filter(([, count]) => count !== 1);
        totals.rounds += 1;
        totals.acknowledged += seen.acknowledged.size;
        totals.lost += lost.length;
        totals.twice += twice.length;
        totals.unknownOutcomes += seen.unknownOutcomes;
        totals.unavailable += seen.unavailable;
        totals.reads += seen.reads;
        totals.unavailableReads += seen.unavailableReads;
        expect(lost).to.deep.equal([]);
        expect(twice).to.deep.equal([]);
        expect([...seen.refused].filter((text) => found.has(text))).to.deep.equal([]);
        const named = [...seen.acknowledged, ...seen.unknown];
        expect([...found.keys()].filter((text) => !named.includes(text))).to.deep.equal([]);
        expect(seen.unavailable).to.be.above(0);
        await rowhouse.close();
      } finally {
        await primary.stop();
        await standby.stop();
      }
    });
  }

  it("is not needed to read from a standby what was just written", async () => {
    const { primary, standby } = await startPair({ isSynchronous: true });
    try {
      await primary.run("create table notes (id bigint generated always as identity primary key, text text)");
      const rowhouse = await rowhouseFor();
      const uri = `postgres://rowhouse@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`;
      await rowhouse.rowhouse.addDatabase({ uri, name: "shop", mutable: true });
      for (let number = 1; number <= 20; number += 1) {
        await rowhouse.post("/shop/notes/-/insert", { as: "root", json: { row: { text: `n${number}` } } });
        const { json } = await rowhouse.get("/shop/notes.json?_size=max&_nosuggest=1");
        expect((json as { readonly rows: unknown[] }).rows).to.have.length(number);
      }
      await rowhouse.close();
    } finally {
      await standby.stop();
      await primary.stop();
    }
  });
});
