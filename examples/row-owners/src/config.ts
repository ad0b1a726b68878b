import { StartupError, type Rowhouse } from "rowhouse/plugin-api";

/** What a person writes under `plugins.row-owners` for a table. */
export interface Config {
  /** The column that says whose a row is. Without it every row is everybody's. */
  readonly column?: string;
  /** What of an actor stands in that column. Default `id`. */
  readonly actor?: string;
  /** Columns that are hidden from whoever is not exempt. */
  readonly hide: readonly string[];
  /** An `allow` block: whoever it lets through sees everything. */
  readonly exempt: unknown;
}

const KEYS: ReadonlySet<string> = new Set(["column", "actor", "hide", "exempt"]);

/**
 * The configuration of a table, null where there is none.
 *
 * @throws StartupError for anything that can't be meant
 */
export async function configOf(
  rowhouse: Rowhouse,
  place: { readonly database?: string; readonly table?: string },
): Promise<Config | null> {
  const block = await rowhouse.pluginConfig("row-owners", place);
  return block === null || block === undefined ? null : readConfig(block);
}

/** Looks at every configuration while there is still time to refuse. @throws StartupError */
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
  // A misspelt key would hide nothing, and nobody would notice.
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
