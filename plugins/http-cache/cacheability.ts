import type { Database, Rowhouse, Schema, Visit } from "rowhouse/plugin-api";

/**
 * Does the page change only when the database does? Not so when SQL asks for the time or for chance, when
 * functions of unknown nature take part, or when a third party's plugin has a hand in it.
 */
export async function dependsOnDataOnly(
  rowhouse: Rowhouse,
  visit: Visit,
  databases: readonly Database[],
): Promise<boolean> {
  if (databases.some(({ memory, internal }) => memory || internal)) return false;
  if (visit.request.query.has("_trace")) return false;
  if (thirdPartiesContribute(rowhouse)) return false;
  // A person's own templates may be edited, and may show whatever they like.
  if (visit.format === "html" && rowhouse.option("templateDir") !== undefined) return false;
  const written = callerSql(visit);
  if (written.length === 0 && isStored(visit)) return true;
  if ((rowhouse.option("loadExtension") ?? []).length > 0) return false;
  if (written.some(isNonDeterministic) || [...visit.request.query.values()].some(namesNow)) return false;
  const steady = await Promise.all(databases.map(async (one) => viewsAreDeterministic(await one.schema())));
  return steady.every(Boolean);
}

/** Hooks that cannot change what is on a page. */
const HARMLESS_HOOKS: ReadonlySet<string> = new Set([
  "register_permissions",
  "register_routes",
  "register_output_renderer",
  "register_column_types",
  "register_commands",
  "register_magic_parameters",
  "actor_from_request",
  "intercept_request",
  // What these answer is part of the tag.
  "permission_allowed",
  "permission_allowed_many",
  "forbidden",
  "handle_exception",
  "track_event",
  "startup",
  "shutdown",
]);

const thirdPartiesContribute = ({ plugins }: Rowhouse): boolean =>
  plugins.some(({ bundled, hooks }) => !bundled && hooks.some((hook) => !HARMLESS_HOOKS.has(hook)));

/** SQL that somebody wrote for this page: in the address, or in the configuration. */
function callerSql({ request, target }: Visit): readonly string[] {
  const asked = [...request.query.getAll("sql"), ...request.query.getAll("_where")];
  return target.kind === "query" ? [target.query.sql, ...asked] : asked;
}

/** Tables hold what they hold; a view or a foreign virtual table may compute anything. */
function isStored({ target }: Visit): boolean {
  if (target.kind === "database" || target.kind === "instance") return true;
  if (target.kind !== "table" && target.kind !== "row") return false;
  return target.table.kind === "table" || target.table.kind === "shadow" || target.table.fullText !== null;
}

const NON_DETERMINISTIC =
  /random|'now|"now|'subsec|"subsec|current_(?:date|time)|\b(?:date|time|datetime|julianday|unixepoch)\s*\(\s*\)|strftime\s*\([^,()]*\)|changes\s*\(|last_insert_rowid|pragma|sqlite_|:_/i;

const isNonDeterministic = (sql: string): boolean => NON_DETERMINISTIC.test(sql);

// A parameter can carry the word into `date(:day)`.
const namesNow = (value: string): boolean => /^\s*(?:now|subsec(?:ond)?)\s*$/i.test(value);

const determinismBySchema = new WeakMap<Schema, boolean>();

function viewsAreDeterministic(schema: Schema): boolean {
  const known = determinismBySchema.get(schema);
  if (known !== undefined) return known;
  const computed = [...schema.tables.values()].filter(({ kind }) => kind === "view" || kind === "virtual");
  const steady = computed.every(({ kind, sql, fullText }) =>
    kind === "view" ? !isNonDeterministic(sql ?? "") : fullText !== null,
  );
  determinismBySchema.set(schema, steady);
  return steady;
}
