import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import { buildDatabase } from "../spec/harness/raw-sqlite.js";
import type { Program } from "./program.js";

/** Starts a server without a cache of replies. */
export type StartServer = (file: string, ...words: readonly string[]) => Promise<Program>;

/** One kind of work that grows. */
interface Dimension {
  readonly name: string;
  readonly sizes: readonly number[];
  /** The requests whose cost is measured, by name. `{n}` is the size. */
  readonly paths: Readonly<Record<string, string>>;
  readonly clients?: (size: number) => number;
  /** The schema and rows for a size. */
  readonly script: (size: number) => string;
  /** Further words of the command. */
  readonly words?: (folder: string, size: number) => Promise<readonly string[]>;
}

const PAGE = "/growth/things.json?_nocount=1&_nosuggest=1";
const THINGS = (rows: number): string => `
  create table things (id integer primary key, kind integer, score integer);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
  insert into things select i, i % 1000, i * 7919 % 100003 from n;
  create index things_kind on things(kind);`;

// The file is only read, and made again for each size.
const QUICKLY = "pragma synchronous = off; pragma journal_mode = off;";

const numbers = (size: number): readonly number[] => Array.from({ length: size }, (_, index) => index);

/** A table of this many columns with a hundred rows. */
function wideTable(columns: number): string {
  const names = numbers(columns - 1).map((number) => `c${number}`);
  return `create table things (id integer primary key, ${names.join(", ")});
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 100)
    insert into things (id, ${names.join(", ")}) select i, ${names.map(() => "i").join(", ")} from n;`;
}

async function pluginFolder(folder: string, size: number): Promise<readonly string[]> {
  const plugins = join(folder, `plugins-${size}`);
  await mkdir(plugins);
  for (const number of numbers(size)) {
    const text = `export default {
      name: "grown-${number}",
      deterministic: true,
      actor_from_request: () => null,
      finish_reply: (_rowhouse, { value }) => value,
    };`;
    await writeFile(join(plugins, `grown-${number}.mjs`), text);
  }
  return ["--plugins-dir", plugins];
}

const DIMENSIONS: readonly Dimension[] = [
  {
    name: "rows of the table",
    sizes: [10_000, 100_000, 1_000_000, 10_000_000],
    paths: {
      "first page": PAGE,
      "page in the middle": `${PAGE}&_next={half}`,
      "filter with an index": `${PAGE}&kind=7`,
      "one row": "/growth/things/{half}.json",
      "page with its count": "/growth/things.json?_nosuggest=1",
    },
    script: THINGS,
  },
  {
    name: "tables of the database",
    sizes: [10, 100, 1_000, 5_000],
    paths: { "table page": PAGE, "database page": "/growth.json" },
    script: (size) =>
      THINGS(1_000) +
      numbers(size - 1)
        .map((number) => `create table t${number} (id integer primary key, a text);`)
        .join("\n"),
  },
  {
    name: "columns of the table",
    sizes: [10, 100, 1_000],
    paths: { "page of 100 rows": PAGE },
    script: wideTable,
  },
  {
    name: "clients at once",
    sizes: [1, 10, 100, 1_000],
    paths: { "table page": PAGE },
    clients: (size) => size,
    script: () => THINGS(10_000),
  },
  {
    name: "installed plugins",
    sizes: [0, 10, 25, 50],
    paths: { "table page": PAGE },
    script: () => THINGS(10_000),
    words: pluginFolder,
  },
];

/** On a busy machine, a page of a thousand columns takes longer than the default. */
const PATIENT = ["--setting", "sql_time_limit_ms", "60000"];
const CLIENTS = 8;
const [WARM_REQUESTS, MAX_REQUESTS] = [60, 450];
/** Pages of thousands of tables take long, so fewer of them are enough. */
const MEASURED_SECONDS = 0.8;

/**
 * Prints the processor time of a request for each size, and how it grows.
 *
 * @param maxRows larger tables are left out: the one of ten million rows takes a minute to build
 */
export async function measureGrowth(folder: string, start: StartServer, maxRows: number): Promise<void> {
  for (const { sizes, ...rest } of DIMENSIONS) {
    const dimension = { ...rest, sizes: sizes.filter((size) => size <= maxRows) };
    const costs = new Map<string, number[]>(Object.keys(dimension.paths).map((name) => [name, []]));
    for (const size of dimension.sizes) {
      const file = join(folder, "growth.db");
      await rm(file, { force: true });
      await buildDatabase(file, `${QUICKLY} begin; ${dimension.script(size)} commit;`);
      const server = await start(file, ...PATIENT, ...((await dimension.words?.(folder, size)) ?? []));
      for (const [name, path] of Object.entries(dimension.paths)) {
        const url = server.origin + path.replace("{half}", String(Math.floor(size / 2)));
        costs.get(name)?.push(await costOf(server, url, dimension.clients?.(size) ?? CLIENTS));
      }
      server.stop();
    }
    const load = loadavg()[0]?.toFixed(1);
    console.log(`\n${dimension.name}: microseconds of processor time for a request, load ${load}`);
    console.log(line("", [...dimension.sizes.map((size) => size.toLocaleString("en")), "growth"]));
    for (const [name, values] of costs) {
      console.log(
        line(name, [...values.map((value) => value.toFixed(0)), growthOf(dimension.sizes, values)]),
      );
    }
  }
}

async function costOf(server: Program, url: string, connections: number): Promise<number> {
  const first = await costOfEach(server, url, { amount: WARM_REQUESTS, connections });
  const enough = Math.min(MAX_REQUESTS, Math.ceil(MEASURED_SECONDS / Math.max(first, 1e-4)));
  const amount = Math.max(enough, 3 * connections);
  return (await costOfEach(server, url, { amount, connections })) * 1e6;
}

interface Load {
  readonly amount: number;
  readonly connections: number;
}

/** Seconds of processor time for each of these requests. */
async function costOfEach({ pid }: Program, url: string, { amount, connections }: Load): Promise<number> {
  const before = await cpuSecondsOf(pid);
  const result = await autocannon({
    url,
    amount,
    connections: Math.min(connections, amount),
    timeout: 60,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${url} failed under load`);
  return ((await cpuSecondsOf(pid)) - before) / amount;
}

const TICKS_PER_SECOND = 100;

/** Processor time of a process. Linux only; NaN elsewhere. */
async function cpuSecondsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** A smaller exponent is noise: the sizes are a factor of ten apart. */
const SMALLEST_EXPONENT = 0.15;

/** The exponent `e` of cost ~ size^e, from the last two sizes, where fixed costs matter least. */
function growthOf(sizes: readonly number[], costs: readonly number[]): string {
  const [size = NaN, largest = NaN] = sizes.slice(-2);
  const [cost = NaN, most = NaN] = costs.slice(-2);
  const exponent = Math.log(most / cost) / Math.log(largest / size);
  return exponent > SMALLEST_EXPONENT ? `n^${exponent.toFixed(1)}` : "constant";
}

const line = (name: string, figures: readonly string[]): string =>
  name.padEnd(24) + figures.map((figure) => figure.padStart(12)).join("");
