import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, open, rename, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { processTree } from "../soak/process-tree.js";
import type { FaultyServer } from "./server.js";

/** Something that goes wrong, and what the server must do meanwhile. */
export interface Fault {
  readonly words?: readonly string[];
  readonly environment?: (folder: string) => Readonly<Record<string, string>>;
  /** True if the file is in a small file system of its own. */
  readonly onSmallDisk?: true;
  /** Why the fault can't be made here; null if it can. */
  readonly obstacle?: () => string | null;
  /** Makes the fault once and removes its cause. @throws Error if the server does something else than it must */
  strike(server: FaultyServer, turn: number): Promise<void>;
}

const run = promisify(execFile);
const PAGE_BYTES = 4096;
const FAKE_TIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1";
const SQL = `/faults.json?sql=${encodeURIComponent("select count(*) from filler a, filler b where a.text < b.text")}`;

function expectOneOf(status: number, expected: readonly number[], what: string): void {
  if (!expected.includes(status)) throw new Error(`${what}: status ${status}, not ${expected.join(" or ")}`);
}

const children = ({ program }: FaultyServer, text: string) =>
  processTree(program.pid).filter(({ pid, command }) => pid !== program.pid && command.includes(text));

/** Replaces the file by a damaged one, and puts it back. Meanwhile nothing may be acknowledged that is lost then. */
async function damage(server: FaultyServer, change: (file: string) => Promise<void>): Promise<void> {
  const good = `${server.file}.good`;
  await copyFile(server.file, good);
  await change(server.file);
  const status = await server.status("/faults/filler.json?_size=max");
  expectOneOf(status, [200, 400, 404, 500, 503], "a page of a damaged file");
  expectOneOf(await server.status("/-/health"), [200], "the health check");
  await rename(good, server.file);
}

export const faults: Readonly<Record<string, Fault>> = {
  "worker killed": {
    words: ["--workers", "2"],
    async strike(server, turn) {
      const workers = processTree(server.program.pid).filter(({ parent }) => parent === server.program.pid);
      const writes = Promise.all(Array.from({ length: 8 }, () => server.insert()));
      const worker = workers[turn % workers.length];
      if (worker !== undefined) process.kill(worker.pid, "SIGKILL");
      // 0 is a connection of the worker that was killed.
      for (const status of await writes) expectOneOf(status, [201, 503, 0], "an insert");
    },
  },
  "process for SQL killed": {
    async strike(server) {
      const asked = server.status(SQL);
      const until = performance.now() + 2_000;
      while (children(server, "isolation/child").length === 0 && performance.now() < until) await sleep(5);
      for (const { pid } of children(server, "isolation/child")) process.kill(pid, "SIGKILL");
      expectOneOf(await server.insert(), [201], "an insert");
      expectOneOf(await asked, [200, 400, 503], "the statement");
    },
  },
  "file replaced": {
    strike: (server) => server.replaceFile(async () => undefined),
  },
  "file truncated": {
    strike: (server) => damage(server, (file) => truncate(file, 3 * PAGE_BYTES)),
  },
  "page corrupt": {
    strike: (server, turn) =>
      damage(server, async (file) => {
        const handle = await open(file, "r+");
        const { size } = await handle.stat();
        const page = 1 + (turn % (size / PAGE_BYTES - 1));
        await handle.write(Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, page * PAGE_BYTES);
        await handle.close();
      }),
  },
  "disk full": {
    onSmallDisk: true,
    async strike(server) {
      const filler = join(dirname(server.file), "filler");
      await writeFile(filler, Buffer.alloc(64 * 1_048_576)).catch(() => undefined);
      expectOneOf(await server.insert("x".repeat(100_000)), [400, 500, 503, 507], "an insert");
      expectOneOf(await server.status("/faults/filler.json"), [200], "a page");
      await rm(filler);
    },
  },
  "file system read-only": {
    onSmallDisk: true,
    async strike(server) {
      // A reload closes the connection that writes; Linux refuses the change while a file is open for writing.
      process.kill(server.program.pid, "SIGHUP");
      const folder = dirname(server.file);
      for (let attempt = 0; ; attempt += 1) {
        const done = await run("mount", ["-o", "remount,ro", folder]).then(
          () => true,
          () => false,
        );
        if (done) break;
        if (attempt > 200) throw new Error("The file system is busy");
        await sleep(20);
      }
      expectOneOf(await server.insert(), [403, 503], "an insert");
      expectOneOf(await server.status("/faults/filler.json"), [200], "a page");
      await run("mount", ["-o", "remount,rw", folder]);
    },
  },
  "clock jumps by a day": {
    obstacle: () => (existsSync(FAKE_TIME) ? null : "the Debian package faketime is not installed"),
    environment: (folder) => ({
      LD_PRELOAD: FAKE_TIME,
      FAKETIME_TIMESTAMP_FILE: join(folder, "clock"),
      FAKETIME_NO_CACHE: "1",
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    }),
    async strike(server, turn) {
      await writeFile(join(dirname(server.file), "clock"), turn % 2 === 0 ? "+1d" : "-1d");
      expectOneOf(await server.insert(), [201], "an insert");
      expectOneOf(await server.status("/faults/rows.json"), [200], "a page");
    },
  },
};
