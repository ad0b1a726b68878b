import { copyFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildDatabase, openRaw } from "../../spec/harness/raw-sqlite.js";
import { startProgram, type Program } from "../program.js";

/**
 * A connection that Node was giving to a worker when the worker was killed is answered by no process, so clients give up
 * and connect again.
 */
const REQUEST_LIMIT_MS = 10_000;
const RECOVERY_LIMIT_MS = 60_000;

/** A server whose acknowledged rows are known. */
export class FaultyServer {
  readonly #acknowledged: number[] = [];
  #ids = 0;

  private constructor(
    readonly program: Program,
    readonly file: string,
  ) {}

  /** @param words further arguments of the command */
  static async start(
    folder: string,
    words: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<FaultyServer> {
    const file = join(folder, "faults.db");
    await buildDatabase(
      file,
      `create table rows (id integer primary key, note text);
       create table filler as with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)
         select i, hex(zeroblob(400)) as text from n;`,
    );
    const metadata = join(folder, "metadata.json");
    await writeFile(metadata, JSON.stringify({ permissions: { "insert-row": true } }));
    const script = fileURLToPath(new URL("../../cli/rowhouse.cjs", import.meta.url));
    const fixed = [file, "-p", "0", "--no-config", "-m", metadata, "-s", "reply_cache_kb", "0"];
    return new FaultyServer(await startProgram(script, [...fixed, ...words], { environment }), file);
  }

  /** Inserts a row. @returns the status, or 0 without a reply */
  async insert(note = "note"): Promise<number> {
    const id = (this.#ids += 1);
    const status = await this.status("/faults/rows/-/insert", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ row: { id, note } }),
    });
    if (status === 201) this.#acknowledged.push(id);
    return status;
  }

  async status(path: string, init: RequestInit = {}): Promise<number> {
    return fetch(this.program.origin + path, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS), ...init }).then(
      async (reply) => {
        await reply.arrayBuffer();
        return reply.status;
      },
      () => 0,
    );
  }

  /** Waits until rows are stored again, and until pages are answered. @throws Error if this takes a minute */
  async recover(): Promise<void> {
    const until = performance.now() + RECOVERY_LIMIT_MS;
    const isWell = async (): Promise<boolean> =>
      (await this.insert()) === 201 && (await this.status("/faults/filler.json")) === 200;
    while (!(await isWell())) {
      if (performance.now() > until) throw new Error("The server has not recovered");
      await sleep(20);
    }
  }

  /** Replaces the file by a copy of it that a function changes, as other programs do. */
  async replaceFile(change: (copy: string) => Promise<void>): Promise<void> {
    await copyFile(this.file, `${this.file}.copy`);
    await change(`${this.file}.copy`);
    await rename(`${this.file}.copy`, this.file);
  }

  /** The number of rows that were acknowledged and that the file does not have. */
  async lostRows(): Promise<number> {
    const raw = await openRaw(this.file);
    const stored = new Set((await raw.all("select id from rows")).map(({ id }) => id));
    const [check] = await raw.all("pragma integrity_check");
    await raw.close();
    if (check?.["integrity_check"] !== "ok") throw new Error(`The file is damaged: ${JSON.stringify(check)}`);
    return this.#acknowledged.filter((id) => !stored.has(id)).length;
  }

  get acknowledged(): number {
    return this.#acknowledged.length;
  }
}
