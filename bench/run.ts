// `npm run bench`: throughput, start time and memory. Name parts to measure only these: `npm run bench streams`.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../spec/harness/free-port.js";
import { commandLine, type Part } from "./command-line.js";
import { buildLibrary } from "./library.js";
import { measureGrowth } from "./growth.js";
import { measureImports } from "./imports.js";
import { compareLogs } from "./logs.js";
import { compareIsolation, measureBesideHostile } from "./isolation.js";
import { buildWide, measureOutput } from "./output.js";
import { compareBounds, comparePages } from "./pages.js";
import { comparePostgres, startCluster } from "./postgres.js";
import { comparePeers, startPeers } from "./peers.js";
import { measureMemory } from "./memory.js";
import { measurePermissions } from "./permissions.js";
import { startProgram, type Program } from "./program.js";
import { measureFirstPage } from "./first-page.js";
import { compareStarts } from "./start.js";
import { measureStreams } from "./streams.js";
import { compareWorkers } from "./workers.js";
import { compareWrites } from "./writes.js";

const options = commandLine(process.argv.slice(2));

const script = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const startRowhouse = (file: string, ...words: readonly string[]): Promise<Program> =>
  startProgram(script("../cli/rowhouse.cjs"), [file, "-p", "0", "--no-config", ...words]);

const startUncached = (file: string, ...words: readonly string[]): Promise<Program> =>
  startRowhouse(file, "--setting", "reply_cache_kb", "0", ...words);

const MAY_WRITE = { databases: { bench: { permissions: { "insert-row": true, "update-row": true } } } };
const QUERIES = { databases: { bench: { queries: { everything: "select * from readings" } } } };

/** Each part has its own file and servers. */
const parts: Readonly<Record<Part, (folder: string) => Promise<readonly Program[]>>> = {
  async pages(folder) {
    const file = join(folder, "bench.db");
    await buildLibrary(file, options.pageRows, "wal");
    const programs = {
      floor: await startProgram(script("floor.js"), [file]),
      uncached: await startRowhouse(file, "--setting", "reply_cache_kb", "0"),
      cached: await startRowhouse(file),
    };
    await comparePages(programs, file, options, options.only);
    return Object.values(programs);
  },

  async bounds(folder) {
    const file = join(folder, "bench.db");
    await buildLibrary(file, options.pageRows, "wal");
    const programs = {
      floor: await startProgram(script("floor.js"), [file]),
      exact: await startProgram(script("floor.js"), [file, "--exact"]),
      ready: await startProgram(script("floor.js"), [file, "--ready"]),
    };
    await compareBounds(programs, options);
    return Object.values(programs);
  },

  async peers(folder) {
    const file = join(folder, "bench.db");
    await buildLibrary(file, options.pageRows, "wal");
    const ours = {
      floor: await startProgram(script("floor.js"), [file]),
      uncached: await startRowhouse(file, "--setting", "reply_cache_kb", "0"),
      cached: await startRowhouse(file),
    };
    const peers = await startPeers(folder, file, options.peer);
    await comparePeers(ours, peers, options);
    return [...Object.values(ours), ...Object.values(peers).map(({ program }) => program)];
  },

  async isolation(folder) {
    const file = join(folder, "bench.db");
    await buildLibrary(file, 100_000);
    const withIsolation = (isolation: string): Promise<Program> =>
      startRowhouse(file, "--setting", "reply_cache_kb", "0", "--setting", "sql_isolation", isolation);
    const contestants = { process: await withIsolation("process"), thread: await withIsolation("thread") };
    await compareIsolation(contestants, { ...options, seconds: 1 });
    contestants.thread.stop();
    await measureBesideHostile(contestants.process, 2);
    return Object.values(contestants);
  },

  async "first-page"(folder) {
    const file = join(folder, "bench.db");
    await buildLibrary(file, options.pageRows);
    const ours = await startRowhouse(file);
    await measureFirstPage(ours);
    return [ours];
  },

  async start(folder) {
    const file = join(folder, "bench.db");
    await buildLibrary(file, 1_000);
    const here = { name: "this", folder: script("../..") };
    const other = options.beside === undefined ? [] : [{ name: "the other", folder: options.beside }];
    await compareStarts([here, ...other], file, Math.max(10, options.rounds));
    return [];
  },

  async workers(folder) {
    const metadata = join(folder, "metadata.json");
    await writeFile(metadata, JSON.stringify(MAY_WRITE));
    const start = async (name: string, workers: string): Promise<Program> => {
      await mkdir(join(folder, name));
      const file = join(folder, name, "bench.db");
      await buildLibrary(file, 10_000, "wal");
      return startRowhouse(file, "-m", metadata, "--setting", "reply_cache_kb", "0", "--workers", workers);
    };
    const servers = { one: await start("one", "1"), two: await start("two", "2") };
    await compareWorkers(servers, options);
    return Object.values(servers);
  },

  async postgres(folder) {
    const server = await startCluster(options.pageRows);
    try {
      const metadata = join(folder, "metadata.json");
      await writeFile(metadata, JSON.stringify(MAY_WRITE));
      const url = server.url("bench");
      const words = ["-m", metadata, "--setting", "max_insert_rows", "1000"];
      const contestants = {
        bare: await startProgram(script("bare-postgres.js"), [url, "guest"]),
        uncached: await startUncached(`${url}?read_role=guest`, ...words),
        cached: await startRowhouse(`${url}?read_role=guest`, ...words),
      };
      await comparePostgres(contestants, server, options, options.only);
      for (const program of Object.values(contestants)) program.stop();
    } finally {
      await server.stop();
    }
    return [];
  },

  async logs(folder) {
    const file = join(folder, "bench.db");
    await buildLibrary(file, 1_000);
    const port = await freePort();
    const quiet = [file, "-p", String(port), "--no-config", "--quiet"];
    const servers = {
      json: await startRowhouse(file, "--log-format", "json"),
      text: await startRowhouse(file, "--log-format", "text"),
      // It does not print its address.
      quiet: await startProgram(script("../cli/rowhouse.cjs"), quiet, { port }),
    };
    await compareLogs(servers, options);
    return Object.values(servers);
  },

  async output(folder) {
    const file = join(folder, "wide.db");
    await buildWide(file);
    await measureOutput(file);
    return [];
  },

  async permissions(folder) {
    const file = join(folder, "bench.db");
    await buildLibrary(file, 100_000);
    await measurePermissions(folder, file);
    return [];
  },

  async growth(folder) {
    await measureGrowth(folder, startUncached, options.rows);
    return [];
  },

  async memory(folder) {
    const file = join(folder, "bench.db");
    await buildLibrary(file, 10_000, "wal");
    const ours = await startRowhouse(file);
    await measureMemory(ours, options.requests);
    return [ours];
  },

  async streams(folder) {
    const file = join(folder, "bench.db");
    const rows = options.rows;
    await buildLibrary(file, rows);
    const metadata = join(folder, "metadata.json");
    await writeFile(metadata, JSON.stringify(QUERIES));
    const ours = await startRowhouse(file, "-m", metadata, "--setting", "max_csv_mb", "0");
    const floor = await startProgram(script("floor.js"), [file]);
    await measureStreams(ours, floor, rows);
    floor.stop();
    ours.stop();
    // A server of its own, so that the memory of the exports is not counted.
    await writeFile(metadata, JSON.stringify(MAY_WRITE));
    const theirs = await startRowhouse(file, "-m", metadata, "--setting", "max_insert_stream_mb", "0");
    await measureImports(theirs, rows);
    return [theirs];
  },

  async writes(folder) {
    const metadata = join(folder, "metadata.json");
    await writeFile(metadata, JSON.stringify(MAY_WRITE));
    const programs: Program[] = [];
    for (const journal of ["delete", "wal"]) {
      await mkdir(join(folder, journal));
      const file = join(folder, journal, "bench.db");
      await buildLibrary(file, 1_000, journal);
      const ours = await startRowhouse(file, "-m", metadata, "--setting", "max_insert_rows", "1000");
      const bare = await startProgram(script("bare-writes.js"), [file]);
      await compareWrites(journal, [ours, bare], options);
      programs.push(ours, bare);
    }
    return programs;
  },
};

for (const name of options.parts) {
  const folder = await mkdtemp(join(tmpdir(), "rowhouse-bench-"));
  try {
    for (const program of await parts[name](folder)) program.stop();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
