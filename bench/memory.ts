import { setTimeout as sleep } from "node:timers/promises";
import autocannon from "autocannon";
import { processTree, residentKilobytes } from "./soak/process-tree.js";
import type { Program } from "./program.js";

/** One address of each kind of page, for a number that makes most addresses different. */
const PAGES: readonly ((number: number) => string)[] = [
  (number) => `/bench/readings?_next=${number}`,
  (number) => `/bench/readings.json?_next=${number}`,
  (number) => `/bench/readings.json?place=${number % 97}&_sort_desc=score&_nosuggest=1`,
  (number) => `/bench/readings.json?_facet=kind&score__gt=${number}&_size=10&_nosuggest=1`,
  (number) => `/bench/readings/${number + 1}`,
  (number) => `/bench/readings/${number + 1}.json`,
  (number) => `/bench.json?sql=${encodeURIComponent(`select ${number}, name from readings limit 20`)}`,
  (number) => `/bench/notes.json?_search=beacon&_size=20&_next=${number}`,
  (number) => `/bench/readings.csv?_size=20&level__gt=${number}`,
  (number) => `/bench/no-such-table-${number}.json`,
  () => "/",
  () => "/bench",
];

const CLIENTS = 8;
/** Shares of the requests after which the memory is printed. */
const STEPS = [0.1, 0.5, 1];
/** Memory is measured after the processes have had nothing to do for this time. */
const REST_MS = 3_000;

/** Prints the resident memory of a server and of its processes at rest, and after mixed requests. */
export async function measureMemory(server: Program, requests: number): Promise<void> {
  console.log(`\nResident memory in MiB, ${requests.toLocaleString("en")} mixed requests`);
  console.log(line(["after requests", "server", "processes for SQL"]));
  await printMemory(server, 0);
  let sent = 0;
  for (const step of STEPS) {
    const until = Math.max(sent + CLIENTS, Math.round(requests * step));
    await request(server, sent, until);
    sent = until;
    await printMemory(server, sent);
  }
}

const mebibytes = (pid: number): string => (residentKilobytes(pid) / 1024).toFixed(0);

async function printMemory({ pid }: Program, sent: number): Promise<void> {
  await sleep(REST_MS);
  const others = processTree(pid).filter((one) => one.pid !== pid);
  const processes = others.map((one) => mebibytes(one.pid)).join(" + ");
  console.log(line([sent.toLocaleString("en"), mebibytes(pid), processes === "" ? "none" : processes]));
}

/** Sends the requests of these numbers. */
async function request({ origin }: Program, from: number, until: number): Promise<void> {
  let next = from;
  const result = await autocannon({
    url: origin,
    amount: until - from,
    connections: CLIENTS,
    timeout: 60,
    requests: [
      {
        setupRequest(sent) {
          const number = next;
          next += 1;
          const page = PAGES[number % PAGES.length];
          return { ...sent, path: page?.(Math.floor(number / PAGES.length)) ?? "/" };
        },
      },
    ],
  });
  if (result.errors > 0 || result["5xx"] > 0) throw new Error("Requests failed");
}

const line = (columns: readonly string[]): string => columns.map((text) => text.padStart(20)).join("");
