import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { TestReply, TestRowhouse } from "../../harness/index.js";

/** What the clients of one failover saw. */
export class Seen {
  /** Rows whose insert was answered with 201. */
  readonly acknowledged = new Set<string>();
  /** Rows of clients that do not repeat: the reply said that nothing was stored. */
  readonly refused = new Set<string>();
  /** Rows of clients that do not repeat: the reply said that they may be stored. */
  readonly unknown = new Set<string>();
  /** Replies with the code `UNKNOWN_OUTCOME`, also to those that repeated. */
  unknownOutcomes = 0;
  unavailable = 0;
  reads = 0;
  /** A loaded machine may answer no server in time. */
  unavailableReads = 0;

  reply({ status, headers, json }: TestReply): "stored" | "refused" | "unknown" {
    if (status === 201) return "stored";
    if (status !== 503) throw new Error(`Unexpected status ${status}: ${JSON.stringify(json)}`);
    expect(headers["retry-after"]).to.be.a("string");
    this.unavailable += 1;
    if ((json as { readonly code?: string }).code !== "UNKNOWN_OUTCOME") return "refused";
    this.unknownOutcomes += 1;
    return "unknown";
  }
}

/** One of the clients of a load. */
export interface Client {
  readonly seen: Seen;
  readonly rowhouse: TestRowhouse;
  readonly name: string;
  readonly isOver: () => boolean;
}

const INSERT = "/shop/notes/-/insert";
const PAUSE_MS = 100;
/** The longest time without a read that is answered. */
const UNREADABLE_MS = 10_000;
const textsOf = (name: string, turn: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${turn}-${index}`);

/** Inserts one row, or two, with an idempotency key. Repeats with the same key until they are acknowledged. */
export async function writeWithKeys({ seen, rowhouse, name, isOver }: Client): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) {
    const texts = textsOf(name, turn, 1 + (turn % 2));
    for (let outcome = "refused"; outcome !== "stored";) {
      const reply = await rowhouse.post(INSERT, {
        as: "root",
        headers: { "idempotency-key": `${name}-${turn}` },
        json: { rows: texts.map((text) => ({ text })) },
      });
      outcome = seen.reply(reply);
      if (outcome !== "stored") await sleep(PAUSE_MS);
    }
    for (const text of texts) seen.acknowledged.add(text);
  }
}

/** Inserts each row once, without a key. */
export async function writeOnce({ seen, rowhouse, name, isOver }: Client): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) {
    const text = `${name}-${turn}`;
    const outcome = seen.reply(await rowhouse.post(INSERT, { as: "root", json: { row: { text } } }));
    if (outcome === "stored") seen.acknowledged.add(text);
    else seen[outcome].add(text);
    if (outcome !== "stored") await sleep(PAUSE_MS);
  }
}

/** Reads pages, rows and streams, which the standby answers when the primary is gone. */
export async function readPages({ seen, rowhouse, isOver }: Client): Promise<void> {
  const paths = ["/shop/notes.json?_size=5", "/shop/notes?_size=5", "/shop/notes.csv?_stream=on"];
  let lastMs = performance.now();
  for (let turn = 0; !isOver(); turn += 1) {
    const path = paths[turn % paths.length] ?? "";
    const { status, headers, text } = await rowhouse.get(path);
    if (status === 200) {
      seen.reads += 1;
      lastMs = performance.now();
    } else {
      seen.unavailableReads += 1;
      const isTemporary = status === 503 && headers["retry-after"] !== undefined;
      if (!isTemporary || performance.now() - lastMs > UNREADABLE_MS)
        throw new Error(`${path}: status ${status}: ${text}`);
    }
    await sleep(20);
  }
}
