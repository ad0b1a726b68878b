import { execFile, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { warmUp, type Effort } from "./load.js";
import { alternate, print, printHead, WORKLOADS } from "./pages.js";
import type { Program } from "./program.js";

/** Another server for the same file. A workload without a path here is not measured with it. */
export interface Peer {
  readonly program: Program;
  readonly paths: Readonly<Record<string, string>>;
}

/** The same rows in the REST API of soul-cli, which always counts the rows of a table. */
const SOUL_PATHS: Readonly<Record<string, string>> = {
  "table, no count": "/api/tables/readings/rows?_limit=100",
  "table, default": "/api/tables/readings/rows?_limit=100",
  "table, filtered": "/api/tables/readings/rows?_limit=100&_filters=place:11",
  "one row": "/api/tables/readings/rows/5000",
};

const SOUL_PORT = 38_211;
const START_LIMIT_MS = 30_000;

/** The programs that are compared, by name. */
export type Peers = Readonly<Record<string, Peer>>;

/**
 * Starts `soul-cli`, installed into the folder, and the servers of `--peer`. The form of a peer is
 * `NAME|COMMAND|URL`: the command gets the file in place of `{file}`, and the URL is that of a page of 100 rows.
 */
export async function startPeers(folder: string, file: string, peers: readonly string[]): Promise<Peers> {
  const started: Record<string, Peer> = {};
  try {
    started["soul"] = await startSoul(folder, file);
  } catch (error) {
    console.error(
      `Without soul-cli, which could not be installed or started: ${String(error).slice(0, 300)}`,
    );
  }
  for (const text of peers) {
    const [name = "", command = "", url = ""] = text.split("|");
    const { origin, pathname, search } = new URL(url);
    const path = pathname + search;
    started[name] = {
      program: await startCommand(command.replaceAll("{file}", file), origin, path),
      paths: { "table, no count": path, "table, default": path },
    };
  }
  return started;
}

async function startSoul(folder: string, file: string): Promise<Peer> {
  const home = join(folder, "soul");
  await mkdir(home);
  await writeFile(join(home, "package.json"), "{}");
  await promisify(execFile)("npm", ["install", "--silent", "--no-audit", "--no-fund", "soul-cli@0.8.2"], {
    cwd: home,
  });
  const command = `exec ${process.execPath} ${join(home, "node_modules/soul-cli/src/server.js")} -d ${file} -p ${SOUL_PORT} -r false`;
  const program = await startCommand(command, `http://127.0.0.1:${SOUL_PORT}`, SOUL_PATHS["one row"] ?? "/");
  return { program, paths: SOUL_PATHS };
}

/** Starts a command of a shell and waits until the address answers. */
async function startCommand(command: string, origin: string, path: string): Promise<Program> {
  const child = spawn("sh", ["-c", command], {
    stdio: ["ignore", "ignore", "ignore"],
    env: peerEnvironment(),
  });
  process.once("exit", () => child.kill());
  const untilMs = performance.now() + START_LIMIT_MS;
  while (!(await answers(origin + path))) {
    if (performance.now() > untilMs) throw new Error(`${command} does not answer at ${origin}${path}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    origin,
    pid: child.pid ?? 0,
    peakMegabytes: async () => NaN,
    blocked: async () => ({ longestMs: NaN, longestCpuMs: NaN }),
    stop: () => void child.kill(),
  };
}

/** Soul refuses to start without a secret, also if it needs none. */
const peerEnvironment = () => ({
  ...process.env,
  TOKEN_SECRET: "for measuring only",
  NODE_ENV: "production",
});

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    async (response) => (await response.arrayBuffer(), response.ok),
    () => false,
  );

/** Every workload that a peer has a path for: our programs and the peers in alternating rounds. */
export async function comparePeers(
  ours: Readonly<Record<string, Program>>,
  peers: Peers,
  effort: Effort,
): Promise<void> {
  printHead(effort);
  for (const [workload, path] of Object.entries(WORKLOADS)) {
    const others = Object.entries(peers).flatMap(([name, { program, paths }]) => {
      const own = paths[workload];
      return own === undefined ? [] : [[name, { program, path: own }] as const];
    });
    if (others.length === 0) continue;
    const own = Object.entries(ours).map(([name, program]) => [name, { program, path }] as const);
    const requests = Object.fromEntries([...own, ...others]);
    for (const { program, path: one } of Object.values(requests)) await warmUp(program, one, effort);
    print(workload, await alternate(requests, effort));
  }
}
