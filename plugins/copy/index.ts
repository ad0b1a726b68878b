import { existsSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { Argv } from "yargs";
import { definePlugin, StartupError, type Command, type Database, type Rowhouse } from "rowhouse/plugin-api";
import { isDatabaseAddress, namedLocation } from "rowhouse/plugin-api/engine";
import { isOutOfService } from "rowhouse/plugin-api/errors";
import { copyDatabase } from "./copy-database.js";
import type { ForeignKeyMode } from "./finish-table.js";

/** `rowhouse copy FROM TO`: copies a database to another engine. */
export default definePlugin({
  name: "copy",
  deterministic: true,
  unguarded: true,
  register_commands: (rowhouse) => copyCommand(rowhouse),
});

interface Arguments {
  readonly from: string;
  readonly to: string;
  readonly foreignKeys?: ForeignKeyMode;
}

const copyCommand = (rowhouse: Rowhouse): Command => ({
  command: "copy <from> <to>",
  describe: "Copy all tables of a database to another one, which may be of another engine",
  builder: (yargs: Argv<object>) =>
    yargs
      .positional("from", { type: "string", describe: "File or address of a database" })
      .positional("to", { type: "string", describe: "File or address of a database" })
      .option("foreign-keys", {
        choices: ["enforce", "record"] as const,
        default: "enforce" as const,
        describe: "Enforce foreign keys, or only record them for links and labels",
      })
      .example("$0 copy shop.db postgres://user@host/shop", "Move to PostgreSQL"),
  handler: (args: Arguments) => copy(rowhouse, args),
});

async function copy(rowhouse: Rowhouse, args: Arguments): Promise<void> {
  const from = await rowhouse.addDatabase(namedLocation(args.from));
  const isNewFile = !isDatabaseAddress(args.to) && !existsSync(args.to);
  let to: Database | null = null;
  let isComplete = false;
  const keepFile = isNewFile ? removedAtSignal(args.to) : () => undefined;
  try {
    to = await rowhouse.addDatabase(namedLocation(args.to, { create: true }));
    const { foreignKeys = "enforce" } = args;
    const isTerminal = process.stderr.isTTY;
    const onRows = (table: string, count: number): void => {
      if (isTerminal) process.stderr.write(`\r\u001b[K${table}: ${count} rows`);
    };
    const { tables, losses } = await copyDatabase({ from, to, foreignKeys, onRows });
    isComplete = true;
    keepFile();
    if (isTerminal) process.stderr.write("\r\u001b[K");
    const total = tables.reduce((sum, { rows }) => sum + rows, 0);
    process.stdout.write(
      `Copied ${tables.length} tables with ${total} rows; counts and checksums are equal.\n`,
    );
    if (losses.length > 0)
      process.stdout.write(`Not carried:\n${losses.map((one) => `- ${one}\n`).join("")}`);
  } catch (error) {
    if (!isOutOfService(error)) throw error;
    throw new StartupError(`Could not copy ${args.from} to ${args.to}: ${error.message}`, 1, {
      cause: error,
    });
  } finally {
    await rowhouse.removeDatabase(from.name);
    if (to !== null) await rowhouse.removeDatabase(to.name);
    if (isNewFile && !isComplete) await rm(args.to, { force: true });
    keepFile();
  }
}

/** Removes a new file, and what SQLite keeps beside it, if a signal ends the process. The result ends this. */
function removedAtSignal(path: string): () => void {
  const remove = (signal: NodeJS.Signals): void => {
    for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    keep();
    process.kill(process.pid, signal);
  };
  const keep = (): void => void process.off("SIGINT", remove).off("SIGTERM", remove);
  process.once("SIGINT", remove).once("SIGTERM", remove);
  return keep;
}
