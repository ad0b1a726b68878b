import { readFile, readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { workplace, type Serving } from "../cli/command.js";
import { openRaw } from "../harness/raw-sqlite.js";
import { until } from "../harness/until.js";
import { ask } from "./open-files.js";
import { hostileRequests, type HostileRequest } from "./generated-requests.js";

/** The build service sends 2,000. */
const COUNT = Number(process.env["ROWHOUSE_HOSTILE_REQUESTS"] ?? 250);
const PARTS = 4;
const AT_ONCE = 16;
const SEED = 20_240_607;
/** What a request may take on a machine that does other work: none takes forever. */
const TIME_LIMIT_MS = 120_000;
const HEAP_MB = 512;
/** What the second half of the requests may add to the heap: 10 kB for each request, so that a leak of one reply shows. */
const HEAP_GROWTH_MB = 10;
/** The C library keeps freed memory; a leak outside of the heap adds far more. */
const RESIDENT_GROWTH_MB = 100;
/** Another client waits up to nine seconds on a machine that runs other programs. */
const OTHERS_WAIT_MS = 60_000;

const WIDE = Array.from({ length: 1_000 }, (_, index) => `c${index}`);
const NUMBERS = "with recursive n(value) as (select 1 union all select value + 1 from n where value < 300)";

interface Answer {
  readonly status: number;
  /** The beginning of it. */
  readonly text: string;
}

/** Null when the client left. */
function fire(port: number, request: HostileRequest): Promise<Answer | null> {
  const { method, target, headers, body, leaveAfterMs } = request;
  const length = body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = [
    `${method} ${target} HTTP/1.1`,
    "Host: localhost",
    "Connection: close",
    ...length,
    ...headers,
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const timer = setTimeout(() => {
      socket.destroy();
      if (leaveAfterMs !== null) resolve(null);
      else reject(new Error(`No answer to ${method} ${target.slice(0, 200)} (${request.kind})`));
    }, leaveAfterMs ?? TIME_LIMIT_MS);
    socket.on("data", (piece) => {
      if (text.length < 20_000) text += piece.toString("latin1");
    });
    // A server may refuse a request and close before all of it was sent.
    socket.on("error", () => undefined);
    socket.once("close", () => {
      clearTimeout(timer);
      resolve(leaveAfterMs === null ? { status: Number(text.slice(9, 12)), text } : null);
    });
    socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}

const isLinux = process.platform === "linux";

/** Collects garbage at SIGUSR2 and writes down what is left: without it, the heap grows to its limit. */
const PROBE = `
import { writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc");
let turn = 0;
process.on("SIGUSR2", () => {
  gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  writeFileSync("memory-" + ++turn + ".json", JSON.stringify({ rss, heap: heapUsed + external }));
});`;

const MEGABYTE = 1024 * 1024;

interface Memory {
  /** What the JavaScript program holds, without garbage. */
  readonly heap: number;
  /** Of the whole process, with SQLite, threads and free memory that was not given back. */
  readonly resident: number;
  /** The most that it was so far. */
  readonly peak: number;
}

async function memoryOf({ process: child }: Serving, folder: string, turn: number): Promise<Memory> {
  child.kill("SIGUSR2");
  const file = join(folder, `memory-${turn}.json`);
  await until(async () => (await readFile(file, "utf8").catch(() => "")).endsWith("}"));
  const { rss, heap } = JSON.parse(await readFile(file, "utf8")) as { rss: number; heap: number };
  const status = await readFile(`/proc/${child.pid}/status`, "utf8");
  const peak = Number(/^VmHWM:\s*(\d+) kB/m.exec(status)?.[1]) / 1024;
  return { heap: Math.round(heap / MEGABYTE), resident: Math.round(rss / MEGABYTE), peak: Math.round(peak) };
}

/** A change of the data replaces all results that were cached for the old data, so that what is left is no cache. */
async function emptyCaches(folder: string, { url }: Serving): Promise<void> {
  for (const [name, table] of [
    ["library", "books"],
    ["wide", "t"],
  ] as const) {
    const raw = await openRaw(join(folder, `${name}.db`));
    await raw.run(`update ${table} set id = id where id = 1`);
    await raw.close();
    await ask(`${url}/${name}/${table}?_facet=id`);
  }
}

const descriptors = async ({ process: child }: Serving): Promise<number> =>
  (await readdir(`/proc/${child.pid}/fd`)).length;

async function fireAll(port: number, requests: readonly HostileRequest[]) {
  const waiting = [...requests];
  const answers: (readonly [HostileRequest, Answer | null])[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      answers.push([next, await fire(port, next)]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return answers;
}

/** Another client, who asks for a row again and again. */
function steadyClient(url: string) {
  let isDone = false;
  const statuses: number[] = [];
  let longestMs = 0;
  const asking = (async () => {
    while (!isDone) {
      const began = performance.now();
      // On a connection of its own. The server closes a connection that was idle for 5 seconds (Keep-Alive:
      // timeout=5), and a request that is sent at this moment fails with ECONNRESET: a race of every HTTP/1.1 client.
      const reply = await ask(`${url}/library/books/1.json?_shape=array&at=${statuses.length}`);
      longestMs = Math.max(longestMs, performance.now() - began);
      statuses.push(reply?.status ?? 0);
      await sleep(50);
    }
  })();
  return async () => {
    isDone = true;
    await asking;
    return { statuses, longestMs };
  };
}

describe(`A server that ${COUNT} hostile requests come to`, function () {
  this.timeout(1_200_000);
  const place = workplace();

  it("continues to run, serves other clients, and leaks neither descriptors nor memory", async function () {
    if (!isLinux) this.skip();
    await place.database(
      "library.db",
      `create table books (id integer primary key, title text, year integer);
       ${NUMBERS} insert into books select value, 'title ' || value, 1800 + value % 200 from n;`,
    );
    await place.database(
      "wide.db",
      `create table t (id integer primary key, ${WIDE.map((name) => `${name} text`).join(", ")});
       ${NUMBERS} insert into t select value, ${WIDE.map((_, index) => `'v' || (value % ${index + 2})`).join(", ")} from n;`,
    );
    const words = ["library.db", "wide.db", "--no-config", "--setting", "sql_time_limit_ms", "1000"];
    // A small cache of replies is full after the first requests.
    const cache = ["--setting", "reply_cache_kb", "1024"];
    place.write({ "probe.mjs": PROBE });
    const server = await place.serve([...words, ...cache], {
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB} --import ${join(place.folder, "probe.mjs")}`,
    });
    const port = Number(new URL(server.url).port);
    const requests = hostileRequests(COUNT, SEED);
    const stop = steadyClient(server.url);

    const answers: (readonly [HostileRequest, Answer | null])[] = [];
    const memory: Memory[] = [];
    const open: number[] = [];
    for (let part = 1; part <= PARTS; part += 1) {
      const [from, to] = [((part - 1) * COUNT) / PARTS, (part * COUNT) / PARTS];
      answers.push(...(await fireAll(port, requests.slice(from, to))));
      // Connections that were just closed are still being cleaned up.
      const limit = (open[0] ?? Infinity) + 20;
      await until(async () => (await descriptors(server)) <= limit);
      open.push(await descriptors(server));
      await emptyCaches(place.folder, server);
      memory.push(await memoryOf(server, place.folder, part));
    }
    const other = await stop();
    if (process.env["ROWHOUSE_SHOW_FIGURES"] !== undefined) {
      console.log({ memory, open, others: other.statuses.length, longestMs: other.longestMs });
      console.log(byStatus(answers));
    }

    expect(server.process.exitCode).to.equal(null);
    expect(new Set(other.statuses)).to.deep.equal(new Set([200]));
    const [firstHalf, secondHalf] = [memory[PARTS / 2 - 1], memory[PARTS - 1]];
    expect(secondHalf?.heap).to.be.below((firstHalf?.heap ?? 0) + HEAP_GROWTH_MB);
    expect(secondHalf?.resident).to.be.below((firstHalf?.resident ?? 0) + RESIDENT_GROWTH_MB);
    expect(open.at(-1)).to.be.below((open[0] ?? 0) + 20);
    expect(other.longestMs).to.be.below(OTHERS_WAIT_MS);
    const wrong = answers.filter(([, answer]) => answer !== null && isWrong(answer));
    expect(
      wrong.map(([{ kind, method, target }, answer]) => ({ kind, method, target, answer })),
    ).to.deep.equal([]);
    const { status } = await fetch(`${server.url}/library/books/1.json`);
    expect(status).to.equal(200);
    const { code } = await server.stop();
    expect(code).to.equal(0);
  });
});

/** No status line, an error inside the server, or a stack trace. */
const isWrong = ({ status, text }: Answer): boolean =>
  !(status >= 200) || status === 500 || /\n\s+at .*\.js:\d+/.test(text);

function byStatus(answers: readonly (readonly [HostileRequest, Answer | null])[]) {
  const counts: Record<string, number> = {};
  for (const [, answer] of answers) {
    const key = answer === null ? "left" : String(answer.status);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
