import { readFile, readdir } from "node:fs/promises";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { workplace, type Serving } from "../cli/command.js";
import { until } from "../harness/until.js";
import { hostileRequests, type HostileRequest } from "./generated-requests.js";

const COUNT = 2_000;
const WARM_UP = 500;
const AT_ONCE = 8;
const SEED = 20_240_607;
/** What a request may take on a machine that does other work: none takes forever. */
const PATIENCE_MS = 120_000;
const HEAP_MB = 512;

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
    }, leaveAfterMs ?? PATIENCE_MS);
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

async function residentMegabytes({ process: child }: Serving, name: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, "utf8");
  return Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
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
      const reply = await fetch(`${url}/library/books/1.json?_shape=array&at=${statuses.length}`);
      await reply.text();
      longestMs = Math.max(longestMs, performance.now() - began);
      statuses.push(reply.status);
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

  it("lives, serves others, and holds neither descriptors nor memory", async function () {
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
    const server = await place.serve(words, { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` });
    const port = Number(new URL(server.url).port);
    const requests = hostileRequests(COUNT, SEED);
    const stop = steadyClient(server.url);

    const first = await fireAll(port, requests.slice(0, WARM_UP));
    await sleep(500);
    const before = { megabytes: await residentMegabytes(server, "VmRSS"), open: await descriptors(server) };
    const rest = await fireAll(port, requests.slice(WARM_UP));
    const other = await stop();

    // Connections that were just closed are still being cleaned up.
    await until(async () => (await descriptors(server)) <= before.open + 20);
    const after = await residentMegabytes(server, "VmRSS");
    const peak = await residentMegabytes(server, "VmHWM");
    if (process.env["ROWHOUSE_SHOW_FIGURES"] !== undefined) {
      const open = await descriptors(server);
      console.log({ before, after, open, peak, others: other.statuses.length, longestMs: other.longestMs });
      console.log(byStatus([...first, ...rest]));
    }

    expect(server.process.exitCode).to.equal(null);
    expect(new Set(other.statuses)).to.deep.equal(new Set([200]));
    // The heap may fill up to its limit; what threads and page caches of SQLite hold comes on top.
    expect(after).to.be.below(2 * HEAP_MB);
    expect(peak).to.be.below(2 * HEAP_MB);
    const wrong = [...first, ...rest].filter(([, answer]) => answer !== null && isWrong(answer));
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
