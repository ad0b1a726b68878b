import { once } from "node:events";
import { Agent, get as httpGet, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { openRaw } from "../../spec/harness/raw-sqlite.js";
import { ask, replyLimit } from "./ask.js";
import type { SmallPageReply } from "./small-pages.js";

/** What a run has seen. */
export class Tally {
  readonly statuses = new Map<string, number>();
  readonly smallPageMs: number[] = [];
  /** The ids of rows whose insert was answered with 201. */
  readonly acknowledged: number[] = [];
  /** Requests that ended without a reply. */
  broken = 0;
  /** When a worker was killed last. */
  killedMs = Number.NEGATIVE_INFINITY;
  /** Replies that no client asked for: 5xx, except 503 after a worker was killed. */
  readonly unexpected: string[] = [];

  reply(load: string, status: number): void {
    const key = `${load} ${status}`;
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1);
    const isAfterKill = status === 503 && performance.now() - this.killedMs < AFTER_KILL_MS;
    if (status >= 500 && !isAfterKill) this.unexpected.push(key);
  }
}

/** A request that a killed worker was performing is answered with 503 within this time. */
const AFTER_KILL_MS = 15_000;

/** What each load needs. */
export interface Stage {
  readonly origin: string;
  readonly file: string;
  readonly tally: Tally;
  readonly signal: AbortSignal;
}

/** A page of ten rows. */
const SMALL_PAGE = "/soak/few.json";

type Load = (stage: Stage) => Promise<void>;

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

/** Repeats until the end. A connection that breaks is counted: its worker may have been killed. */
const repeated =
  (work: (stage: Stage, turn: number) => Promise<void>, everyMs = 0): Load =>
  async (stage) => {
    for (let turn = 0; !stage.signal.aborted; turn += 1) {
      await work(stage, turn).catch(() => (stage.tally.broken += 1));
      if (everyMs > 0) await pause(everyMs, stage.signal);
    }
  };

const read =
  (name: string, path: string, headers: Record<string, string> = {}) =>
  async ({ origin, tally }: Stage): Promise<void> => {
    tally.reply(name, await ask(origin + path, { headers }));
  };

/** A thread reads it and measures the time. */
async function readSmallPages({ origin, tally, signal }: Stage): Promise<void> {
  const thread = new Worker(new URL("small-pages.js", import.meta.url), { workerData: origin + SMALL_PAGE });
  thread.on("message", ({ status, ms }: SmallPageReply) => {
    if (status === null) tally.broken += 1;
    else {
      tally.reply("small page", status);
      tally.smallPageMs.push(ms);
    }
  });
  await once(signal, "abort");
  await thread.terminate();
}

async function insert({ origin, tally }: Stage, id: number): Promise<void> {
  const body = JSON.stringify({ row: { id, note: "acknowledged" } });
  const headers = { "content-type": "application/json" };
  const status = await ask(`${origin}/soak/written/-/insert`, { method: "POST", headers }, body);
  tally.reply("insert", status);
  if (status === 201) tally.acknowledged.push(id);
}

const STREAM = "/soak/readings.csv?_stream=on&_size=max";
const streams = new Agent();

const openStream = ({ origin }: Stage): Promise<IncomingMessage> =>
  new Promise((resolve, reject) =>
    httpGet(origin + STREAM, { agent: streams, signal: replyLimit() }, resolve).once("error", reject),
  );

async function abortStream(stage: Stage): Promise<void> {
  const stream = await openStream(stage);
  stage.tally.reply("aborted stream", stream.statusCode ?? 0);
  await stream[Symbol.asyncIterator]().next();
  stream.destroy();
}

const SLOW_PIECES = 50;

/** Reads a piece every 100 ms, for some seconds. */
async function readSlowly(stage: Stage): Promise<void> {
  const stream = await openStream(stage);
  stage.tally.reply("slow reader", stream.statusCode ?? 0);
  const pieces = stream[Symbol.asyncIterator]();
  for (let count = 0; count < SLOW_PIECES && !stage.signal.aborted; count += 1) {
    if ((await pieces.next()).done === true) break;
    await pause(100, stage.signal);
  }
  stream.destroy();
}

const IDLE_CONNECTIONS = 500;

/** The server closes a connection that sends nothing; then it is opened again. */
async function stayIdle({ origin, signal }: Stage): Promise<void> {
  const port = Number(new URL(origin).port);
  const open = async (): Promise<void> => {
    while (!signal.aborted) {
      await new Promise<void>((resolve) => {
        const socket = connect(port, "127.0.0.1");
        const end = (): void => void socket.destroy();
        // A socket that is not read does not tell that the server has closed it.
        socket.resume();
        signal.addEventListener("abort", end, { once: true });
        socket.once("error", end).once("close", () => {
          signal.removeEventListener("abort", end);
          resolve();
        });
      });
      await pause(100, signal);
    }
  };
  await Promise.all(Array.from({ length: IDLE_CONNECTIONS }, open));
}

/** Changes the schema as another program does. */
async function changeSchema({ file }: Stage, turn: number): Promise<void> {
  const raw = await openRaw(file);
  try {
    await raw.run("pragma busy_timeout = 5000");
    await raw.run(`create table other_${turn} (id integer primary key, name text)`);
    await raw.run(`alter table other_${turn} add column more text`);
    await raw.run(`drop table other_${turn}`);
  } finally {
    await raw.close();
  }
}

const SQL = encodeURIComponent("select kind, count(*), avg(level) from readings group by kind");
const FORGED = { authorization: "Bearer rhtok_forged.forged" };

/** All loads, which run at the same time. */
export const loads: Readonly<Record<string, Load>> = {
  smallPages: readSmallPages,
  htmlPage: repeated(read("page", "/soak/readings?_nocount=1"), 50),
  sql: repeated(read("SQL", `/soak.json?sql=${SQL}`), 100),
  forgedTokens: repeated(read("forged token", SMALL_PAGE, FORGED), 50),
  evenRows: repeated((stage, turn) => insert(stage, turn * 2), 10),
  oddRows: repeated((stage, turn) => insert(stage, turn * 2 + 1), 10),
  abortedStreams: repeated(abortStream, 200),
  slowReaders: repeated(readSlowly, 200),
  idle: stayIdle,
  otherProgram: repeated(changeSchema, 1_000),
};
