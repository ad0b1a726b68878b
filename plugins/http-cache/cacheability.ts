import { kernelHooks, type Affects, type HookSpec } from "rowhouse/plugin-api/kernel";
import type { Database, Rowhouse, Schema, Visit } from "rowhouse/plugin-api";

/**
 * True if the page changes only when the database changes. False if SQL calls date, time, random or unknown functions,
 * and if a plugin that is not `deterministic` contributes to the page.
 */
export async function dependsOnDataOnly(
  rowhouse: Rowhouse,
  visit: Visit,
  databases: readonly Database[],
): Promise<boolean> {
  if (databases.some(({ memory, internal }) => memory || internal)) return false;
  if (visit.request.query.has("_trace")) return false;
  const changes = changesBesideData(rowhouse);
  if (changes.has("data") || (visit.format === "html" && changes.has("html"))) return false;
  // Custom templates may be edited at any time and may show any data.
  if (visit.format === "html" && rowhouse.option("templateDir") !== undefined) return false;
  const sql = callerSql(visit);
  if (sql.length === 0 && isStored(visit)) return true;
  if ((rowhouse.option("loadExtension") ?? []).length > 0) return false;
  if (sql.some(isNonDeterministic) || [...visit.request.query.values()].some(namesNow)) return false;
  const deterministic = await Promise.all(
    databases.map(async (one) => viewsAreDeterministic(await one.schema())),
  );
  return deterministic.every(Boolean);
}

const changesByServer = new WeakMap<Rowhouse, ReadonlySet<Affects>>();

/** What plugins change in replies for other reasons than the data: see `affects` of hooks and `deterministic`. */
export function changesBesideData(rowhouse: Rowhouse): ReadonlySet<Affects> {
  const known = changesByServer.get(rowhouse);
  if (known !== undefined) return known;
  const plugins = rowhouse.plugins.map(({ plugin }) => plugin);
  const declared = Object.assign({}, kernelHooks, ...plugins.map(({ hooks }) => hooks)) as Readonly<
    Record<string, HookSpec>
  >;
  const deterministic = new Set(plugins.filter((plugin) => plugin.deterministic).map(({ name }) => name));
  const changes = Object.entries(rowhouse.hooks)
    .filter(([, { taps }]) => taps.some(({ name }) => !deterministic.has(name)))
    // A hook without an owner is never called.
    .flatMap(([hook]) => (Object.hasOwn(declared, hook) ? affectedBy(declared[hook]) : []));
  changesByServer.set(rowhouse, new Set(changes));
  return new Set(changes);
}

const affectedBy = (spec: HookSpec | undefined): Affects =>
  typeof spec === "object" ? (spec.affects ?? "data") : "data";

/** The custom SQL of this page, from the URL or the configuration. */
function callerSql({ request, target }: Visit): readonly string[] {
  const fromUrl = [...request.query.getAll("sql"), ...request.query.getAll("_where")];
  return target.kind === "query" ? [target.query.sql, ...fromUrl] : fromUrl;
}

/** True if the rows are stored. A view or an unknown virtual table may compute anything. */
function isStored({ target }: Visit): boolean {
  if (target.kind === "database" || target.kind === "instance") return true;
  if (target.kind !== "table" && target.kind !== "row") return false;
  return target.table.kind === "table" || target.table.kind === "shadow" || target.table.fullText !== null;
}

const NON_DETERMINISTIC =
  /random|'now|"now|'subsec|"subsec|current_(?:date|time)|\b(?:date|time|datetime|julianday|unixepoch)\s*\(\s*\)|strftime\s*\([^,()]*\)|changes\s*\(|last_insert_rowid|pragma|sqlite_|:_/i;

const isNonDeterministic = (sql: string): boolean => NON_DETERMINISTIC.test(sql);

// A parameter can pass the word to `date(:day)`.
const namesNow = (value: string): boolean => /^\s*(?:now|subsec(?:ond)?)\s*$/i.test(value);

const determinismBySchema = new WeakMap<Schema, boolean>();

function viewsAreDeterministic(schema: Schema): boolean {
  const known = determinismBySchema.get(schema);
  if (known !== undefined) return known;
  const computed = [...schema.tables.values()].filter(({ kind }) => kind === "view" || kind === "virtual");
  const deterministic = computed.every(({ kind, sql, fullText }) =>
    kind === "view" ? !isNonDeterministic(sql ?? "") : fullText !== null,
  );
  determinismBySchema.set(schema, deterministic);
  return deterministic;
}
