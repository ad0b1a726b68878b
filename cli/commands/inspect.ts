import {
  closeSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename } from "node:path";
import { Kernel } from "rowhouse";
import { messageOf, quoteIdentifier, StartupError, type Database } from "rowhouse/plugin-api";
import { fileArguments, lastValue, type Parsed } from "../arguments/arguments.js";
import { consoleLog } from "../log/console-log.js";
import { databaseLocations } from "../configuration/databases.js";
import { extensionFiles } from "../configuration/extensions.js";
import { commandOptions, metadataOf } from "../configuration/kernel-options.js";
import { systemReason } from "../configuration/read-file.js";
import { filesOnCommandLine } from "../arguments/options.js";
import { existingSource, list } from "../arguments/readers.js";
import { resolveChoices } from "../configuration/resolve.js";

const COUNT_TIME_LIMIT_MS = 3_600_000;

/** Runs the command, and writes to standard output or the file of `--inspect-file`. */
export async function inspect(parsed: Parsed): Promise<void> {
  const { "inspect-file": inspectFile, advise, files: _files, ...others } = parsed;
  const target = lastValue(inspectFile);
  const { choices } = await resolveChoices(others, consoleLog);
  const given = fileArguments(parsed);
  const configured = [...(choices.files ?? []), ...(choices.immutable ?? [])];
  const files =
    given.length > 0 ? list(existingSource)(given, filesOnCommandLine(process.cwd())) : configured;
  const metadata = await metadataOf(choices);
  const { bundledPlugins } = await import("rowhouse/plugins");
  const plugins = bundledPlugins.map((plugin) => ({ plugin }));
  const found = { plugins, switchedOff: [], files: new Map<string, string>(), pluginConfig: {} };
  const kernel = await Kernel.open({
    ...commandOptions({ choices: {} }, found, consoleLog),
    databases: databaseLocations({ immutable: files }, {}, consoleLog),
    options: {
      loadExtension: extensionFiles(choices.loadExtension ?? []),
      ...(metadata !== null && { metadata }),
    },
    dormant: true,
  });
  try {
    const shown = [...kernel.databases.values()].filter(({ internal }) => !internal);
    if (advise === true) return write(await missingIndexes(kernel, shown), target);
    const entries = await Promise.all(
      shown.map(async (one) => [one.name, await inspectDatabase(one)] as const),
    );
    write(JSON.stringify(Object.fromEntries(entries), null, 2), target);
  } finally {
    await kernel.close();
  }
}

/** The missing indexes as SQL, with the reasons as comments. */
async function missingIndexes(kernel: Kernel, databases: readonly Database[]): Promise<string> {
  const lists = databases.map(async (database) => {
    const advice = await kernel.service("advice").ofDatabase(database);
    if (advice.length === 0) return `-- ${database.name}: no missing index was found`;
    const lines = advice.flatMap(({ reason, index }) => [`-- ${oneLine(reason)}`, `${index ?? ""};`]);
    return [`-- ${database.name}`, ...lines].join("\n");
  });
  return (await Promise.all(lists)).join("\n\n");
}

/** A comment ends with its line, so a name with a line break would become a statement. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ");

async function inspectDatabase(database: Database) {
  const { hash, sizeBytes, path, shownPath } = await database.describe();
  if (database.memory) return { hash: null, size: null, file: null, tables: {} };
  return {
    hash,
    size: sizeBytes,
    file: path === null ? null : basename(path),
    tables: await counts(database, shownPath ?? database.name),
  };
}

/** Views are not counted, because this could take very long. */
async function counts(database: Database, file: string) {
  const { tables } = await database.schema();
  const counted: Record<string, { readonly count: number }> = {};
  for (const { name, kind } of tables.values()) {
    if (kind === "view") continue;
    const sql = `select count(*) from ${quoteIdentifier(name)}`;
    const { rows } = await database
      .read(sql, [], { timeLimitMs: COUNT_TIME_LIMIT_MS })
      .catch((error: unknown): never => {
        throw new StartupError(`Could not count the rows of ${name} in ${file}: ${messageOf(error)}`);
      });
    counted[name] = { count: Number(rows[0]?.[0] ?? 0) };
  }
  return counted;
}

function write(text: string, target: unknown): void {
  if (typeof target !== "string" || target === "-") process.stdout.write(`${text}\n`);
  else writeToFile(target, `${text}\n`);
}

const MAGIC = "SQLite format 3\0";

function isDatabase(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return false;
  const start = Buffer.alloc(MAGIC.length);
  const file = openSync(path, "r");
  try {
    readSync(file, start);
  } finally {
    closeSync(file);
  }
  return start.toString("latin1") === MAGIC;
}

function writeToFile(path: string, text: string): void {
  try {
    // A mistyped path must not cost a database.
    if (isDatabase(path)) throw new Error("it is a database. Choose another path");
    replaceFile(path, text);
  } catch (error) {
    throw new StartupError(`Could not write ${path}: ${systemReason(error)}`, 1, { cause: error });
  }
}

/** The text appears under the name of the file only when it is complete. Devices and pipes are written to. */
function replaceFile(path: string, text: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) return writeFileSync(path, text);
  const target = found === undefined ? path : realpathSync(path);
  const partial = `${target}.partial-${process.pid}`;
  try {
    writeFileSync(partial, text, { mode: found?.mode });
    renameSync(partial, target);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
