import { permissionChain, type Actor, type Rowhouse } from "rowhouse/plugin-api";
import { join } from "node:path";
import { Kernel } from "rowhouse";
import { bundledPlugins } from "rowhouse/plugins";
import { buildDatabase } from "../spec/harness/raw-sqlite.js";
import { median } from "./figures.js";

const DATABASES = 50;
const FEW = 1;
const MANY = 100;
const ROUNDS = 40;
const WARMING_UP = 15;
const WIDTH = 48;
const ACTOR: Actor = { id: "ann", roles: ["staff"] };
const PAGE = "/bench/readings.json?_nocount=1&_nofacet=1&_nosuggest=1";

/** Rules of every kind, so that each check evaluates some. */
const METADATA = {
  allow: { id: "*", unauthenticated: true },
  permissions: { "insert-row": { roles: ["editor"] } },
  databases: { bench: { tables: { readings: { allow: { roles: ["staff"] } } } } },
};

const databaseName = (tables: number, index: number): string => `many_${tables}_${index}`;

/** One of three tables has an `allow` block, one a `permissions` block, and one only a description. */
const RULES_OF_TABLES = [
  { allow: { roles: ["editor", "staff"] } },
  { permissions: { "view-table": { id: ["bob", "ann"] } } },
  { description: "A table" },
] as const;

/** The same, and a rule for every database and table. */
const RULES_EVERYWHERE = {
  ...METADATA,
  databases: Object.fromEntries(
    [FEW, MANY].flatMap((tables) =>
      Array.from({ length: DATABASES }, (_, index) => [
        databaseName(tables, index),
        {
          allow: { id: "*", unauthenticated: true },
          tables: Object.fromEntries(
            Array.from({ length: tables }, (_table, number) => [`t${number}`, RULES_OF_TABLES[number % 3]]),
          ),
        },
      ]),
    ),
  ),
};

/** The cost of permissions: on the home page with many tables, and when one table is read. */
export async function measurePermissions(folder: string, library: string): Promise<void> {
  await Promise.all([FEW, MANY].map((tables) => buildMany(folder, tables)));
  console.log(`${`home of ${DATABASES} x ${FEW} and x ${MANY} tables`.padEnd(WIDTH)}  ms`);
  await measureHome(folder, METADATA, [
    ["anonymous", "/", null],
    ["signed in", "/", ACTOR],
    ["signed in, JSON", "/.json", ACTOR],
  ]);
  await measureHome(folder, RULES_EVERYWHERE, [
    ["signed in, rules everywhere", "/", ACTOR],
    ["signed in, rules everywhere, JSON", "/.json", ACTOR],
  ]);
  await measureShare(library);
}

async function measureHome(
  folder: string,
  metadata: object,
  pages: readonly (readonly [who: string, path: string, actor: Actor | null])[],
): Promise<void> {
  const [few, many] = [await openMany(folder, FEW, metadata), await openMany(folder, MANY, metadata)];
  for (const [who, path, actor] of pages) {
    // Alternating, so that a busy machine slows both down.
    const [fewMs = NaN, manyMs = NaN] = await mediansMs(ROUNDS, [
      () => page(few, path, actor),
      () => page(many, path, actor),
    ]);
    const figures = `${fewMs.toFixed(1)}, ${manyMs.toFixed(1)}, ${(manyMs / fewMs).toFixed(2)} times`;
    console.log(`  ${who}`.padEnd(WIDTH) + figures);
  }
  await Promise.all([few.close(), many.close()]);
}

const fileOf = (folder: string, name: string): string => join(folder, `${name}.db`);

async function buildMany(folder: string, tables: number): Promise<void> {
  const script = Array.from(
    { length: tables },
    (_, index) => `create table t${index} (id integer primary key, name text);`,
  ).join("\n");
  const names = Array.from({ length: DATABASES }, (_, index) => databaseName(tables, index));
  await Promise.all(names.map((name) => buildDatabase(fileOf(folder, name), script)));
}

function openMany(folder: string, tables: number, metadata: object): Promise<Kernel> {
  const names = Array.from({ length: DATABASES }, (_, index) => databaseName(tables, index));
  return open(
    names.map((name) => [name, fileOf(folder, name)] as const),
    metadata,
  );
}

/** The permission checks of a table page alone, compared with the complete page. */
async function measureShare(library: string): Promise<void> {
  const rowhouse = await open([["bench", library]], METADATA);
  const chain = permissionChain({ database: "bench", table: "readings" });
  const ask = async (): Promise<void> => {
    await rowhouse.permissions.require(ACTOR, chain);
    await rowhouse.permissions.allowed(null, chain);
    await rowhouse.permissions.allowed(ACTOR, "execute-sql", "bench");
  };
  const [whole = NaN, asking = NaN] = await mediansMs(300, [() => page(rowhouse, PAGE, ACTOR), ask]);
  console.log("a table's page".padEnd(WIDTH) + `${whole.toFixed(3)} ms`);
  console.log(
    "its permission questions".padEnd(WIDTH) +
      `${asking.toFixed(3)} ms, ${((100 * asking) / whole).toFixed(1)} %`,
  );
  await rowhouse.close();
}

const open = (
  databases: readonly (readonly [name: string, file: string])[],
  metadata: object,
): Promise<Kernel> =>
  Kernel.open({
    plugins: bundledPlugins.map((plugin) => ({ plugin })),
    databases: databases.map(([name, file]) => ({ uri: `file:${file}`, name, mutable: true })),
    secrets: ["a secret that is used only in benchmarks"],
    // The reply cache is off.
    settings: { reply_cache_kb: 0 },
    options: { metadata: { document: metadata, source: "bench" } },
  });

async function page(rowhouse: Rowhouse, path: string, actor: Actor | null): Promise<void> {
  const { status } = await rowhouse.fetch(path, { actor });
  if (status !== 200) throw new Error(`${path} answers ${status}`);
}

async function mediansMs(rounds: number, works: readonly (() => Promise<void>)[]): Promise<number[]> {
  const times = works.map((): number[] => []);
  for (let round = -WARMING_UP; round < rounds; round++) {
    for (const [index, work] of works.entries()) {
      const began = performance.now();
      await work();
      if (round >= 0) times[index]?.push(performance.now() - began);
    }
  }
  return times.map(median);
}
