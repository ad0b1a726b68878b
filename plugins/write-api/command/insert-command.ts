import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { StartupError, WriteRejected, type Command, type Rowhouse } from "rowhouse/plugin-api";
import type { Argv } from "yargs";
import { isDatabaseAddress, namedLocation } from "rowhouse/plugin-api/engine";
import { isOutOfService } from "rowhouse/plugin-api/errors";
import { conflictOf } from "../insert/insert-rows.js";
import { delimiterOf } from "../stream/stream-request.js";
import { formatByName, openInput, type InputFormat } from "./input.js";
import { insertFile, type CsvFileOptions } from "./insert-file.js";
import { newFile } from "./new-file.js";
import { Progress } from "./progress.js";

interface Arguments {
  readonly database: string;
  readonly table: string;
  readonly file: string;
  readonly pk: readonly string[];
  readonly alter: boolean;
  readonly upsert: boolean;
  readonly replace: boolean;
  readonly ignore: boolean;
  readonly csv: boolean;
  readonly tsv: boolean;
  readonly nl: boolean;
  readonly json: boolean;
  readonly create: boolean;
  readonly delimiter?: string;
  readonly "no-header": boolean;
  readonly encoding: string;
}

/** `rowhouse insert`: inserts the rows of a file into a table, without a server. */
export const insertCommand = (rowhouse: Rowhouse): Command => ({
  command: "insert <database> <table> <file>",
  describe: "Insert the rows of a CSV or JSON file into a table, creating it if needed",
  builder: describeArguments,
  handler: (args: Arguments) => insert(rowhouse, args),
});

function describeArguments(yargs: Argv<object>): unknown {
  return yargs
    .positional("database", { type: "string", describe: "File or address of the database" })
    .positional("table", { type: "string", describe: "Name of the table" })
    .positional("file", { type: "string", describe: "File with the rows, - for standard input" })
    .option("pk", {
      type: "string",
      array: true,
      nargs: 1,
      default: [],
      describe: "Column of the primary key",
    })
    .option("alter", flag("Add the columns that the table lacks"))
    .option("upsert", flag("Update rows whose key exists, only the columns given"))
    .option("replace", flag("Replace rows whose key exists, as a whole"))
    .option("ignore", flag("Keep rows whose key exists"))
    .option("csv", flag("The file has comma-separated values"))
    .option("tsv", flag("The file has tab-separated values"))
    .option("nl", flag("The file has one JSON object per line"))
    .option("json", flag("The file has a JSON list of objects"))
    .option("delimiter", { type: "string", describe: "Character between the values of CSV, or tab" })
    .option("no-header", flag("The first line of CSV has values, not the names of the columns"))
    .option("encoding", {
      type: "string",
      default: "utf-8",
      describe: "Encoding of the file, as windows-1252",
    })
    .option("create", flag("Create the database if it does not exist"))
    .example("$0 insert library.db books books.csv --pk id", "Create a table from a CSV file")
    .example("$0 insert library.db books - --nl --upsert", "Update a table from another program");
}

const flag = (describe: string) => ({ type: "boolean", default: false, describe }) as const;

async function insert(rowhouse: Rowhouse, args: Arguments): Promise<void> {
  const format = formatOf(args);
  const csv = csvOptionsOf(args);
  requireOneConflictOption(args);
  const options = {
    upsert: args.upsert,
    alter: args.alter,
    conflict: conflictOf(args),
    returnsKeys: false,
  };
  if (!args.create && !isDatabaseAddress(args.database) && !existsSync(args.database)) {
    const reason = `Path '${args.database}' does not exist; --create makes it.`;
    throw new StartupError(`Invalid value for 'DATABASE': ${reason}`, 2);
  }
  if (args.table === "") throw new StartupError("Invalid value for 'TABLE': is empty", 2);
  // yargs turns a lone dash into an empty text.
  const input = openInput(args.file === "" ? "-" : args.file);
  const file = newFile(args.database);
  const database = await rowhouse.addDatabase(namedLocation(args.database, args));
  try {
    const progress = new Progress(process.stderr);
    const { table, pk: pks } = args;
    const count = await insertFile({ database, table, input, format, csv, pks, options, progress });
    file.keep();
    const verb = args.upsert ? "upserted" : "inserted";
    process.stdout.write(`${count} ${count === 1 ? "row" : "rows"} ${verb} into ${table}\n`);
  } catch (error) {
    throw summarize(error, args.database);
  } finally {
    await rowhouse.removeDatabase(database.name);
    file.discard();
  }
}

function formatOf(args: Arguments): InputFormat | null {
  const chosen = (["csv", "tsv", "nl", "json"] as const).filter((name) => args[name]);
  const [only, ...more] = chosen;
  if (more.length > 0) throw new StartupError("Only one of --csv, --tsv, --nl and --json can be used", 2);
  if (only === undefined) return formatByName(args.file);
  return only === "nl" ? "ndjson" : only;
}

/** @throws StartupError */
function csvOptionsOf({ delimiter, encoding, ...args }: Arguments): CsvFileOptions {
  const character = delimiter === undefined ? null : delimiterOf(delimiter);
  if (delimiter !== undefined && character === null)
    throw new StartupError("Invalid value for '--delimiter': must be one character, or tab", 2);
  if (!isEncoding(encoding))
    throw new StartupError(`Invalid value for '--encoding': unknown: ${encoding}`, 2);
  return { delimiter: character, header: !args["no-header"], encoding };
}

function isEncoding(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== "";
  } catch {
    return false;
  }
}

/** @throws StartupError */
function requireOneConflictOption({ upsert, replace, ignore }: Arguments): void {
  if ([upsert, replace, ignore].filter(Boolean).length > 1) {
    throw new StartupError("Only one of --upsert, --replace and --ignore can be used", 2);
  }
}

function summarize(error: unknown, database: string): unknown {
  if (isOutOfService(error))
    return new StartupError(`Could not write ${database}: ${error.message}`, 1, { cause: error });
  // Rows are kept there until all of them are valid.
  if ((error as NodeJS.ErrnoException).code === "ENOSPC")
    return new StartupError(`The disk of the folder for temporary files is full: ${tmpdir()}`, 1, {
      cause: error,
    });
  if (!(error instanceof WriteRejected) || error.errors.length < 2) return error;
  const [first = "", ...more] = error.errors;
  return new StartupError(`${first} (and ${more.length} more)`, 1, { cause: error });
}
