import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { postgresFolder, serverOwner, startPostgres, type PostgresServer } from "../../harness/postgres.js";

const run = promisify(execFile);

/** A primary and its standby. */
export interface Pair {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
}

/** Starts two servers. @param isSynchronous the primary confirms a commit when the standby has it */
export async function startPair({ isSynchronous }: { readonly isSynchronous: boolean }): Promise<Pair> {
  const bin = (await postgresFolder()) ?? "";
  const primary = await startPostgres(bin);
  const standby = await startPostgres(bin, {
    prepare: async (data) => {
      const source = ["-h", "127.0.0.1", "-p", String(primary.port), "-U", "rowhouse"];
      await run(join(bin, "pg_basebackup"), ["-D", data, ...source, "-R", "-X", "stream", "--no-sync"], {
        ...(await serverOwner()),
        cwd: "/",
      });
    },
  });
  if (isSynchronous) {
    await primary.run("alter system set synchronous_standby_names to '*'");
    await primary.run("select pg_reload_conf()");
  }
  return { primary, standby };
}
