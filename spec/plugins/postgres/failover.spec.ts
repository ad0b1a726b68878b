import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { rowhouseFor, type TestRowhouse } from "../../harness/index.js";
import { describePostgres } from "../../harness/postgres.js";
import { startPair } from "./pair.js";

const ROUNDS = Number(process.env["ROWHOUSE_FAILOVERS"] ?? 2);
const WRITERS = 4;

interface Writer {
  /** Rows that were acknowledged. */
  readonly stored: Set<string>;
  readonly statuses: Map<number, number>;
}

/** Inserts rows one after the other. A row is sent again, with the same key, until it is acknowledged. */
async function write(
  writer: Writer,
  rowhouse: TestRowhouse,
  name: string,
  isOver: () => boolean,
): Promise<void> {
  for (let number = 0; !isOver(); number += 1) {
    const text = `${name}-${number}`;
    for (let isStored = false; !isStored;) {
      const { status, headers } = await rowhouse.post("/shop/notes/-/insert", {
        as: "root",
        headers: { "idempotency-key": text },
        json: { row: { text } },
      });
      writer.statuses.set(status, (writer.statuses.get(status) ?? 0) + 1);
      if (status !== 201 && status !== 503) throw new Error(`Unexpected status ${status}`);
      if (status === 503) {
        expect(headers["retry-after"]).to.be.a("string");
        await sleep(100);
      }
      isStored = status === 201;
    }
    writer.stored.add(text);
  }
}

/** Waits until every writer has stored more rows, for a minute at most. */
async function untilStored(writers: readonly Writer[], more: number): Promise<void> {
  const targets = writers.map(({ stored }) => stored.size + more);
  for (const end = performance.now() + 60_000; performance.now() < end; await sleep(20))
    if (writers.every(({ stored }, index) => stored.size >= (targets[index] ?? 0))) return;
  throw new Error("The writers do not continue");
}

describePostgres("a failover", () => {
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
        let isOver = false;
        const writers = Array.from({ length: WRITERS }, (): Writer => ({
          stored: new Set(),
          statuses: new Map(),
        }));
        const writing = Promise.all(
          writers.map((writer, index) => write(writer, rowhouse, `w${index}`, () => isOver)),
        );
        await untilStored(writers, 10);
        await primary.kill();
        await sleep(200);
        expect((await rowhouse.get("/shop/notes.json?_size=1")).status).to.equal(200);
        await standby.run("select pg_promote()");
        await untilStored(writers, 10);
        isOver = true;
        await writing;

        const rows = await standby.run("select text, count(*)::int as n from notes group by text");
        const found = new Map(rows.map(({ text, n }) => [String(text), Number(n)]));
        const acknowledged = writers.flatMap(({ stored }) => [...stored]);
        expect(acknowledged.filter((text) => !found.has(text))).to.deep.equal([]);
        expect([...found].filter(([, count]) => count !== 1)).to.deep.equal([]);
        expect(acknowledged.length).to.be.above(WRITERS * 2);
        expect(writers.some(({ statuses }) => (statuses.get(503) ?? 0) > 0)).to.equal(true);
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
