import { spawn, type ChildProcess } from "node:child_process";
import { access, chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../harness/free-port.js";
import { serverOwner, type PostgresServer } from "../../harness/postgres.js";

const PGBOUNCER = "/usr/sbin/pgbouncer";

/** PgBouncer. */
export interface Pooler {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts PgBouncer before a server, with two sessions of the server for each role and database. */
export async function startPooler(server: PostgresServer, mode: "session" | "transaction"): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), "rowhouse-pooler-"));
  await chmod(folder, 0o777);
  const port = await freePort();
  await writeFile(join(folder, "users.txt"), '"rowhouse" ""\n"guest" ""\n');
  await writeFile(
    join(folder, "pgbouncer.ini"),
    `[databases]\n* = host=127.0.0.1 port=${server.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
      `unix_socket_dir =\nauth_type = trust\nauth_file = ${folder}/users.txt\npool_mode = ${mode}\n` +
      `default_pool_size = ${mode === "transaction" ? 2 : 20}\nmax_client_conn = 200\n`,
  );
  const owner = await serverOwner();
  const child: ChildProcess = spawn(PGBOUNCER, [join(folder, "pgbouncer.ini")], {
    ...owner,
    stdio: "ignore",
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    port,
    async stop() {
      child.kill("SIGKILL");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Skips the specs of a suite, with a line, where PgBouncer is not installed. */
export function needPooler(): void {
  before(async function () {
    const isInstalled = await access(PGBOUNCER).then(
      () => true,
      () => false,
    );
    if (isInstalled) return;
    console.log("      skipped: PgBouncer is not installed (apt-get install pgbouncer)");
    this.skip();
  });
}
