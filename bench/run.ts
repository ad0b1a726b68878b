// `npm run bench`: pages a second of Rowhouse beside those of a bare program that does only this.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import autocannon from "autocannon";
import { buildLibrary } from "./library.js";
import { startProgram, type Program } from "./program.js";

const pages = {
  "100 rows of a table": "/bench/readings.json?_nocount=1&_nofacet=1&_nosuggest=1",
  "100 rows of ?sql=": `/bench.json?sql=${encodeURIComponent("select * from readings where place = 11 limit 100")}`,
  "one row": "/bench/readings/50000.json",
} as const;

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "2" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "10" },
  },
});

const script = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Pages a second during one round. */
async function measure({ origin }: Program, path: string, seconds: number): Promise<number> {
  const result = await autocannon({
    url: origin + path,
    duration: seconds,
    connections: Number(options.connections),
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${origin}${path} failed under load`);
  return result.requests.average;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Both must tell the same, or the comparison means nothing. @returns bytes of either answer */
async function compareAnswers(ours: Program, bare: Program, path: string): Promise<string> {
  const [ourText, bareText] = await Promise.all([ours, bare].map(({ origin }) => answer(origin + path)));
  const [ourFacts, bareFacts] = [ourText, bareText].map((text) => facts(text ?? ""));
  if (!isDeepStrictEqual(ourFacts, bareFacts)) {
    throw new Error(`The answers to ${path} differ:\n${ourText?.slice(-900)}\n${bareText?.slice(-900)}`);
  }
  return `${ourText?.length} and ${bareText?.length} bytes`;
}

async function answer(url: string): Promise<string> {
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${text.slice(0, 300)}`);
  return text.replaceAll(new URL(url).origin, "");
}

function facts(text: string): unknown {
  const { query_ms: _timing, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return rest;
}

async function comparePages(ours: Program, bare: Program): Promise<void> {
  const rounds = Number(options.rounds);
  const seconds = Number(options.seconds);
  for (const [name, path] of Object.entries(pages)) {
    const sizes = await compareAnswers(ours, bare, path);
    for (const program of [ours, bare]) await measure(program, path, 1);
    const speeds: { ours: number; bare: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      speeds.push({ ours: await measure(ours, path, seconds), bare: await measure(bare, path, seconds) });
    }
    const ourSpeed = median(speeds.map((speed) => speed.ours));
    const bareSpeed = median(speeds.map((speed) => speed.bare));
    const ratio = (ourSpeed / bareSpeed).toFixed(2);
    console.log(
      `${name.padEnd(22)}${ourSpeed.toFixed(0).padStart(9)}${bareSpeed.toFixed(0).padStart(9)}${ratio.padStart(8)}   ${sizes}`,
    );
  }
}

const folder = await mkdtemp(join(tmpdir(), "rowhouse-bench-"));
try {
  const file = join(folder, "bench.db");
  await buildLibrary(file);
  const ours = await startProgram(script("../cli/rowhouse.cjs"), [file, "-p", "0"]);
  const bare = await startProgram(script("bare.js"), [file]);
  console.log(
    `Medians of ${options.rounds} rounds of ${options.seconds} s, ${options.connections} connections\n`,
  );
  console.log(
    `${"pages a second".padEnd(22)}${"Rowhouse".padStart(9)}${"bare".padStart(9)}${"ratio".padStart(8)}`,
  );
  await comparePages(ours, bare);
  ours.stop();
  bare.stop();
} finally {
  await rm(folder, { recursive: true, force: true });
}
