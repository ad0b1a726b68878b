import { join } from "node:path";
import { Kernel } from "rowhouse";
import type { Actor, Chain, Rowhouse } from "rowhouse/plugin-api";
import { bundledPlugins } from "rowhouse/plugins";
import { buildDatabase } from "../spec/harness/raw-sqlite.js";

const DATABASES = 50;
const ROUNDS = 30;
const ACTOR: Actor = { id: "ann", roles: ["staff"] };
const PAGE = "/bench/readings.json?_nocount=1&_nofacet=1&_nosuggest=1";

/** Rules of every kind, so that each question has something to look at. */
const METADATA = {
  allow: { id: "*", unauthenticated: true },
  permissions: { "insert-row": { roles: ["editor"] } },
  databases: { bench: { tables: { readings: { allow: { roles: ["staff"] } } } } },
};

/** What permissions cost: on the home page of many tables, and beside the reading of one. */
export async function measurePermissions(folder: string, library: string): Promise<void> {
  await measureHome(folder);
  await measureShare(library);
}

async function measureHome(folder: string): Promise<void> {
  const times: number[] = [];
  for (const tables of [1, 100]) {
    const rowhouse = await openMany(folder, tables);
    for (const actor of [null, ACTOR]) {
      const median = await medianMs(ROUNDS, () => page(rowhouse, "/.json", actor));
      const who = actor === null ? "anonymous" : "signed in";
      console.log(`home of ${DATABASES} x ${tables} tables, ${who}`.padEnd(44) + `${median.toFixed(1)} ms`);
      times.push(median);
    }
    await rowhouse.close();
  }
  const [few = NaN, fewActor = NaN, many = NaN, manyActor = NaN] = times;
  console.log(
    "a hundred tables each against one".padEnd(44) +
      `${(many / few).toFixed(2)} x, ${(manyActor / fewActor).toFixed(2)} x`,
  );
}

async function openMany(folder: string, tables: number): Promise<Kernel> {
  const names = Array.from({ length: DATABASES }, (_, index) => `many_${tables}_${index}`);
  const file = (name: string): string => join(folder, `${name}.db`);
  const script = Array.from(
    { length: tables },
    (_, index) => `create table t${index} (id integer primary key, name text);`,
  ).join("\n");
  await Promise.all(names.map((name) => buildDatabase(file(name), script)));
  return open(names.map((name) => [name, file(name)] as const));
}

/** The questions that a table page asks, put alone, beside the whole page. */
async function measureShare(library: string): Promise<void> {
  const rowhouse = await open([["bench", library]]);
  const chain: Chain = [
    ["view-table", ["bench", "readings"]],
    ["view-database", "bench"],
    ["view-instance", null],
  ];
  const ask = async (): Promise<void> => {
    await rowhouse.ensure(ACTOR, chain);
    await rowhouse.visibility(null, chain);
    await rowhouse.allowed(ACTOR, "execute-sql", "bench");
  };
  const whole = await medianMs(300, () => page(rowhouse, PAGE, ACTOR));
  const asking = await medianMs(300, ask);
  console.log("a table's page".padEnd(44) + `${whole.toFixed(3)} ms`);
  console.log(
    "its permission questions".padEnd(44) +
      `${asking.toFixed(3)} ms, ${((100 * asking) / whole).toFixed(1)} %`,
  );
  await rowhouse.close();
}

const open = (databases: readonly (readonly [name: string, file: string])[]): Promise<Kernel> =>
  Kernel.open({
    plugins: bundledPlugins.map((plugin) => ({ plugin, bundled: true })),
    databases: databases.map(([name, file]) => ({ uri: `file:${file}`, name, mutable: true })),
    secrets: ["only for measuring, and of no use to anybody"],
    // Every page is made anew.
    settings: { reply_cache_kb: 0 },
    options: { metadata: { document: METADATA, source: "bench" } },
  });

async function page(rowhouse: Rowhouse, path: string, actor: Actor | null): Promise<void> {
  const { status } = await rowhouse.fetch(path, { actor });
  if (status !== 200) throw new Error(`${path} answers ${status}`);
}

async function medianMs(rounds: number, work: () => Promise<void>): Promise<number> {
  for (let round = 0; round < 15; round++) await work();
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? NaN;
}
