// `node dist/bench/executed-files.js [--list]`: the number of our files with a function that is called for one request.
import { mkdtemp, rm } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Kernel, listen } from "rowhouse";
import { permissionChain } from "rowhouse/plugin-api";
import { bundledPlugins } from "rowhouse/plugins";
import { buildDatabase } from "../spec/harness/raw-sqlite.js";

const DIST = fileURLToPath(new URL("..", import.meta.url));
const COUNTED = /^(?:core|plugins|plugin-api|cli)\//;
const WARM_UP_ROUNDS = 3;
/** Longer than the timers that follow a request. */
const PAUSE_MS = 300;

const METADATA = { databases: { library: { permissions: { "insert-row": true } } } };

/** The files of which a function was called since the last call, relative to `dist/`. */
async function calledFiles(session: Session): Promise<readonly string[]> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  return result
    .filter(({ url }) => url.startsWith("file://"))
    .filter(({ functions }) => functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)))
    .map(({ url }) => fileURLToPath(url).slice(DIST.length))
    .filter((path) => COUNTED.test(path))
    .toSorted();
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

/** The files that each kind of request executes, after the same request with other values has been answered. */
async function executedFiles(): Promise<Readonly<Record<string, readonly string[]>>> {
  const folder = await mkdtemp(join(tmpdir(), "rowhouse-files-"));
  const file = join(folder, "library.db");
  await buildDatabase(
    file,
    `create table books (id integer primary key, title text, year integer);
     insert into books values (1, 'Emma', 1815), (2, 'Persuasion', 1817), (3, 'Sanditon', 1925);`,
  );
  const kernel = await Kernel.open({
    plugins: bundledPlugins.map((plugin) => ({ plugin })),
    databases: [{ uri: `file:${file}`, name: "library", mutable: true, shownPath: "library.db" }],
    secrets: ["a secret of at least thirty-two bytes for measuring"],
    // Its default depends on the version of Node.
    settings: { sql_timing: "off" },
    options: { metadata: { source: "metadata.json", document: METADATA } },
  });
  const server = await listen(kernel, { host: "127.0.0.1", port: 0 });
  const requests: Readonly<Record<string, (round: number) => Promise<unknown>>> = {
    "table page": async (round) =>
      (await fetch(`${server.url}/library/books.json?_size=${round + 1}`)).text(),
    insert: async (round) => {
      const body = JSON.stringify({ row: { title: `Book ${round}`, year: 1900 } });
      const headers = { "content-type": "application/json" };
      const reply = await fetch(`${server.url}/library/books/-/insert`, { method: "POST", headers, body });
      if (reply.status !== 201) throw new Error(await reply.text());
      return reply.text();
    },
    "permission question": () =>
      kernel.permissions.allowed({ id: "ann" }, permissionChain({ database: "library", table: "books" })),
  };
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const found: Record<string, readonly string[]> = {};
  for (const [name, ask] of Object.entries(requests)) {
    for (let round = 0; round < WARM_UP_ROUNDS; round++) await ask(round);
    await pause();
    await calledFiles(session);
    await ask(WARM_UP_ROUNDS);
    found[name] = await calledFiles(session);
    await pause();
  }
  session.disconnect();
  await server.close(0);
  await kernel.close();
  await rm(folder, { recursive: true });
  return found;
}

const lists = process.argv.includes("--list");
for (const [name, files] of Object.entries(await executedFiles())) {
  console.log(`${name}: ${files.length}`);
  if (lists) console.log(files.map((path) => `  ${path}`).join("\n"));
}
