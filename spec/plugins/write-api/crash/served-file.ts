import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { buildDatabase } from "../../../harness/raw-sqlite.js";

const WRITES = ["insert-row", "update-row", "delete-row", "create-table", "drop-table", "alter-table"];

/** A server in a process of its own. */
export interface Victim {
  readonly port: number;
  /** Kills the process; resolves when it has ended. */
  kill(): Promise<void>;
}

/** A file that servers serve one after the other, each of which is killed. */
export interface ServedFile {
  readonly path: string;
  start(): Promise<Victim>;
}

/** Makes the file, in its journal mode, and what serving it takes. @param command the words that node starts with */
export async function servedFile(
  folder: string,
  journalMode: "wal" | "delete",
  command: readonly string[],
): Promise<ServedFile> {
  const path = join(folder, "library.db");
  const metadata = join(folder, "metadata.json");
  const permissions = Object.fromEntries(WRITES.map((action) => [action, true]));
  await writeFile(metadata, JSON.stringify({ databases: { library: { permissions } } }));
  await buildDatabase(
    path,
    // A trigger counts along, so that half a change shows even where rows come and go.
    `pragma journal_mode = ${journalMode};
     create table goods (id integer primary key, owner integer, word text, amount integer check (amount >= 0));
     create index goods_by_word on goods (word);
     create table tally (owner integer primary key, goods integer);
     create trigger counted after insert on goods begin
       insert into tally values (new.owner, 1) on conflict do update set goods = goods + 1;
     end;
     create trigger discounted after delete on goods begin
       update tally set goods = goods - 1 where owner = old.owner;
     end;`,
  );
  const words = [...command, path, "-p", "0", "-m", metadata, "--setting", "max_insert_rows", "1000"];
  return { path, start: () => start([...words, "--no-config", "--secret", "s".repeat(40)]) };
}

const alive = new Set<ChildProcess>();
process.once("exit", () => alive.forEach((child) => child.kill("SIGKILL")));

async function start(words: readonly string[]): Promise<Victim> {
  const child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "pipe"] });
  alive.add(child);
  const port = await listeningPort(child);
  const gone = once(child, "exit");
  return {
    port,
    kill: async () => {
      child.kill("SIGKILL");
      const [code, signal] = await gone;
      alive.delete(child);
      if (signal !== "SIGKILL") throw new Error(`The server ended by itself: ${code ?? signal}`);
    },
  };
}

function listeningPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const port = /running on http:\/\/[\d.]+:(\d+)/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
    child.once("close", () => reject(new Error(`The server ended instead of serving: ${said}`)));
  });
}
