import { execFile, spawn, type ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type QueryResult } from "pg";
import { freePort } from "./free-port.js";

const run = promisify(execFile);
const INSTALLED = "/usr/lib/postgresql";
const START_LIMIT_MS = 60_000;

/** A server of PostgreSQL in a folder of its own. */
export interface PostgresServer {
  readonly pid: number;
  readonly port: number;
  readonly folder: string;
  /** `postgres://rowhouse@127.0.0.1:<port>/<database>` */
  url(database: string, query?: string): string;
  /** Makes an empty database, and returns its address. */
  createDatabase(script?: string): Promise<string>;
  /** Runs a script as superuser. */
  run(sql: string, database?: string): Promise<readonly Record<string, unknown>[]>;
  /** Ends the first process at once. The others notice it, and end by themselves. */
  kill(): Promise<void>;
  /** Ends all processes at once, as when the machine fails. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** The folder with `initdb` and `postgres`; null if it is not installed. */
export async function postgresFolder(): Promise<string | null> {
  const versions = await readdir(INSTALLED).catch(() => []);
  const newest = versions.filter((name) => /^\d+$/.test(name)).toSorted((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? null : join(INSTALLED, newest, "bin");
}

/**
 * Describes specs that need a server. They are skipped with a line if PostgreSQL is not installed, unless
 * `ROWHOUSE_REQUIRE_POSTGRES=1` makes that a failure.
 */
export function describePostgres(title: string, body: (server: () => PostgresServer) => void): void {
  describe(title, () => {
    let server: PostgresServer | null = null;
    before(async function () {
      const folder = await postgresFolder();
      if (folder === null) {
        if (process.env["ROWHOUSE_REQUIRE_POSTGRES"] === "1") throw new Error("PostgreSQL is not installed");
        console.log("      skipped: PostgreSQL is not installed (apt-get install postgresql)");
        this.skip();
      }
      server = await startPostgres(folder);
    });
    after(() => server?.stop());
    body(() => server ?? fail());
  });
}

const fail = (): never => {
  throw new Error("The server has not been started");
};

interface ServerOptions {
  /** Settings as `name=value`. */
  readonly settings?: readonly string[];
  /** Variables of the environment, such as `LANGUAGE`. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Fills the folder of the data. Default: with a copy of what `initdb` made. */
  readonly prepare?: (data: string) => Promise<void>;
}

/** Starts a server. It refuses to run as root, so root starts it as the user `postgres`. */
export async function startPostgres(bin: string, options: ServerOptions = {}): Promise<PostgresServer> {
  const owner = await serverOwner();
  const folder = await mkdtemp(join(tmpdir(), "rowhouse-postgres-"));
  await chmod(folder, 0o777);
  const data = join(folder, "data");
  await (options.prepare?.(data) ?? copyTemplate(bin, data));
  const port = await freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "fsync=off",
    "max_connections=300",
    ...(options.settings ?? []),
  ];
  const process = spawn(
    join(bin, "postgres"),
    ["-D", data, "-p", String(port), ...settings.flatMap((one) => ["-c", one])],
    { ...owner, cwd: folder, stdio: "ignore", env: { ...env, ...options.environment } },
  );
  const server = serverOf(process, port, folder);
  await untilReady(server);
  return server;
}

let template: Promise<string> | null = null;

/** `initdb` runs once in a process. A copy of what it made takes a tenth of the time. */
async function copyTemplate(bin: string, data: string): Promise<void> {
  template ??= makeTemplate(bin);
  await run("cp", ["-a", await template, data], { ...(await serverOwner()), cwd: "/" });
}

async function makeTemplate(bin: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rowhouse-postgres-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await chmod(folder, 0o777);
  const data = join(folder, "data");
  const initdb = ["-D", data, "-U", "rowhouse", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  await run(join(bin, "initdb"), initdb, { ...(await serverOwner()), cwd: folder });
  return data;
}

function serverOf(process: ChildProcess, port: number, folder: string): PostgresServer {
  const exited = new Promise<void>((resolve) => process.once("exit", () => resolve()));
  let databases = 0;
  const url: PostgresServer["url"] = (database, query = "") =>
    `postgres://rowhouse@127.0.0.1:${port}/${database}${query}`;
  const query: PostgresServer["run"] = async (sql, database = "postgres") => {
    const client = new Client({ connectionString: url(database), connectionTimeoutMillis: 5_000 });
    // The statement fails as well.
    client.on("error", () => undefined);
    await client.connect();
    try {
      const results: unknown = await client.query(sql);
      return ([results].flat().at(-1) as QueryResult<Record<string, unknown>>).rows;
    } finally {
      await client.end();
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (process.exitCode === null && process.signalCode === null) process.kill(signal);
    await exited;
  };
  return {
    pid: process.pid ?? 0,
    port,
    folder,
    url,
    run: query,
    async createDatabase(script) {
      databases += 1;
      const name = `spec_${databases}`;
      await query(`create database ${name}`);
      if (script !== undefined) await query(script, name);
      return url(name);
    },
    kill: () => end("SIGKILL"),
    async crash() {
      const children = await childrenOf(process.pid ?? 0);
      const ended = end("SIGKILL");
      for (const pid of children) killIfAlive(pid);
      await ended;
    },
    async stop() {
      await end("SIGINT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Linux only. */
async function childrenOf(pid: number): Promise<readonly number[]> {
  const pids = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return pids.split(" ").map(Number).filter(Boolean);
}

function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}

/** The user that runs servers: `postgres` for root. */
export async function serverOwner(): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  return { uid: await idOf("-u"), gid: await idOf("-g") };
}

const idOf = async (flag: string): Promise<number> => Number((await run("id", [flag, "postgres"])).stdout);

async function untilReady(server: PostgresServer): Promise<void> {
  const end = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      await server.run("select 1");
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(20);
    }
  }
}
