import { keyText, namedColumns, type KeyPath } from "rowhouse/plugin-api/metadata";
import { foldName, isSameName, NameMap, nearNames } from "rowhouse/plugin-api/names";
import { isObject, type Database, type MetadataBlock, type Rowhouse, type Table } from "rowhouse/plugin-api";
import type { Metadata } from "rowhouse/plugin-api/contracts";
import { blocksIn } from "./check-shape.js";

/** With more names than this, no similar name is searched: it would take too long. */
const MOST_COMPARED = 2000;

/**
 * Warns about each database, table, view or column of the metadata that does not exist, or whose name is spelt differently: an
 * `allow` block under a misspelt name has no effect. Also warns about the configuration of plugins that are not loaded: they may
 * have been meant to hide rows.
 *
 * @param only the database to check. Default: all
 */
export async function warnOfUnmatchedNames(
  rowhouse: Rowhouse,
  metadata: Metadata,
  only?: Database,
): Promise<void> {
  const warn = (path: KeyPath, text: string): void =>
    rowhouse.log.warn(`${metadata.placeOf(path)}: ${keyText(path)} ${text}`);
  const served = only === undefined ? [...rowhouse.databases.values()] : [only];
  if (only === undefined) {
    warnOfPlugins(rowhouse, metadata.document, warn);
    if (isObject(metadata.document["settings"]))
      warn(["settings"], "belongs in a configuration file (--config). It has no effect");
  }
  for (const [name, block] of blocksIn(metadata.document, "databases")) {
    const path = ["databases", name];
    const database = databaseNamed(served, rowhouse, name);
    if (database !== undefined) {
      if (database.name !== name)
        warn(path, `is spelt ${database.name} here. It applies to ${database.name}`);
      const warnInside = (inner: KeyPath, text: string): void => warn([...path, ...inner], text);
      warnOfPlugins(rowhouse, block, warnInside);
      await warnOfTables({ rowhouse, database, block, warn: warnInside });
    } else if (only === undefined) {
      warn(path, `matches no database${advice(name, rowhouse.databases.keys()) || "."} It has no effect`);
    }
  }
}

/** @param path below the block that is examined */
type Warn = (path: KeyPath, text: string) => void;

interface TablesOf {
  readonly rowhouse: Rowhouse;
  readonly database: Database;
  readonly block: MetadataBlock;
  readonly warn: Warn;
}

function warnOfPlugins({ plugins }: Rowhouse, block: MetadataBlock, warn: Warn): void {
  for (const [name] of blocksIn(block, "plugins")) {
    if (!plugins.some((plugin) => plugin.name === name))
      warn(["plugins", name], "names no plugin that is loaded. It has no effect");
  }
}

/** A block whose name is exactly that of a served database applies only to it. */
function databaseNamed(
  served: readonly Database[],
  { databases }: Rowhouse,
  name: string,
): Database | undefined {
  const exact = served.find((database) => database.name === name);
  if (exact !== undefined || databases.has(name)) return exact;
  return served.find((database) => isSameName(database.name, name));
}

async function warnOfTables({ rowhouse, database, block, warn }: TablesOf): Promise<void> {
  const described = blocksIn(block, "tables");
  if (described.length === 0) return;
  const tables = await tablesOf(database);
  if (tables === null) return;
  const names = [...tables.keys()];
  const spellings = new NameMap(tables);
  for (const [name, settings] of described) {
    const place = ["tables", name];
    const warnInside = (inner: KeyPath, text: string): void => warn([...place, ...inner], text);
    warnOfPlugins(rowhouse, settings, warnInside);
    const [match] = spellings.all(name);
    if (match !== undefined) {
      if (match.name !== name)
        warn(place, `is spelt ${match.name} in the database. It applies to ${match.name}`);
      warnOfColumns(match, settings, warnInside);
      warnOfSearch(match, tables, settings, warnInside);
      continue;
    }
    const near = advice(name, names);
    const query = near === "" ? await queryNear(rowhouse, database, name) : undefined;
    const hint = query === undefined ? near || "." : `; ${query} is a query, which belongs under queries.`;
    warn(place, `matches no table or view of ${database.name}${hint} It has no effect`);
  }
}

/** Null if the file cannot be read, which is reported elsewhere. */
const tablesOf = (database: Database): Promise<ReadonlyMap<string, Table> | null> =>
  database.schema().then(
    ({ tables }) => tables,
    () => null,
  );

/** The columns of a broken view are unknown. */
function warnOfColumns({ name, columns, rowidName }: Table, settings: MetadataBlock, warn: Warn) {
  if (columns.length === 0) return;
  const names = [...columns.map((column) => column.name), ...(rowidName === null ? [] : [rowidName])];
  for (const { path, column } of namedColumns(settings)) {
    if (names.some((one) => isSameName(one, column))) continue;
    warn(path, `names no column of ${name}: ${column}${advice(column, names) || "."} It has no effect`);
  }
}

/** Searches use the names in the metadata, and the index that the schema declares only without them. */
function warnOfSearch(
  { name, columns, rowidName }: Table,
  tables: ReadonlyMap<string, Table>,
  { fts_table: index, fts_pk: key }: MetadataBlock,
  warn: Warn,
) {
  if (typeof index === "string" && index !== "" && !tables.has(index))
    warn(
      ["fts_table"],
      `names no table: ${index}${advice(index, tables.keys()) || "."} Searches of ${name} fail`,
    );
  const names = [...columns.map((column) => column.name), rowidName ?? "rowid"];
  if (typeof key === "string" && key !== "" && !names.some((one) => isSameName(one, key)))
    warn(["fts_pk"], `names no column of ${name}: ${key}${advice(key, names) || "."} Searches fail`);
}

async function queryNear(rowhouse: Rowhouse, database: Database, name: string): Promise<string | undefined> {
  const queries = await rowhouse.serviceIfAny("queries")?.cannedQueries(database.name, null);
  return nearNames(name, queries?.keys() ?? [], 1)[0];
}

/** `, did you mean pub?`, or nothing where no name is similar. */
function advice(name: string, known: Iterable<string>): string {
  const names = [...known];
  if (names.length > MOST_COMPARED) return "";
  const spellings = new Map(names.map((one) => [foldName(one), one]));
  const [near] = nearNames(foldName(name), spellings.keys(), 1);
  return near === undefined ? "" : `, did you mean ${spellings.get(near) ?? near}?`;
}
