import { StartupError, type Rowhouse } from "rowhouse/plugin-api";

/** The configuration under `plugins.row-owners` for a table. */
export interface Config {
  /** The column with the owner of a row. Without it, all actors may read all rows. */
  readonly column?: string;
  /** The property of an actor that the column contains. Default `id`. */
  readonly actor?: string;
  /** Columns that are hidden from actors who are not exempt. */
  readonly hide: readonly string[];
  /** An `allow` block: actors that match it see all rows and columns. */
  readonly exempt: unknown;
}

const KEYS: ReadonlySet<string> = new Set(["column", "actor", "hide", "exempt"]);

/**
 * The configuration of a table; null without one.
 *
 * @throws StartupError for an invalid configuration
 */
export async function configOf(
  rowhouse: Rowhouse,
  place: { readonly database?: string; readonly table?: string },
): Promise<Config | null> {
  const block = await rowhouse.pluginConfig("row-owners", place);
  return block === null || block === undefined ? null : readConfig(block);
}

/** Checks the configuration of all tables, so that a mistake stops the start. @throws StartupError */
export async function checkConfig(rowhouse: Rowhouse): Promise<void> {
  await configOf(rowhouse, {});
  for (const database of rowhouse.databases.values()) {
    for (const table of (await database.schema()).tables.keys()) {
      await configOf(rowhouse, { database: database.name, table });
    }
  }
}

function readConfig(block: unknown): Config {
  if (!isObject(block)) throw mistake("must be an object");
  // A misspelt key would hide nothing, without an error.
  const unknown = Object.keys(block).find((key) => !KEYS.has(key));
  if (unknown !== undefined) throw mistake(`has an unknown key: ${unknown}`);
  const { column, actor, hide = [], exempt = null } = block;
  if (!isTextOrAbsent(column)) throw mistake("column must be the name of a column");
  if (!isTextOrAbsent(actor)) throw mistake("actor must be the name of a property");
  if (!isTextList(hide)) throw mistake("hide must be a list of columns");
  return {
    hide,
    exempt,
    ...(column !== undefined && { column }),
    ...(actor !== undefined && { actor }),
  };
}

const mistake = (what: string): StartupError => new StartupError(`The configuration of row-owners ${what}`);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isTextOrAbsent = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === "string";
const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");
