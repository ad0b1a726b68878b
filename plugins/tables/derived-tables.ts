import { meaningful, permissionChain, sqlTokens, visibleItems } from "rowhouse/plugin-api";
import type {
  Awaitable,
  Database,
  Opinion,
  PermissionChecks,
  Resource,
  Rowhouse,
  Schema,
  Table,
} from "rowhouse/plugin-api";

/**
 * A full-text table holds the words of the table it was made from, a shadow table those of its virtual table: an
 * actor without `view-table` on the one gets no `view-table` on the other. No opinion on anything else. At once
 * where none of the tables is made from another, as most are not.
 */
export function inheritSourcePermissions(
  rowhouse: Rowhouse,
  checks: PermissionChecks,
): Awaitable<readonly (Opinion | null)[] | null> {
  if (checks.action !== "view-table") return null;
  const databases = databasesOf(rowhouse, checks.resources);
  // Who names a table has looked at its schema, or at one from before the table was made.
  const unknown = databases.filter(({ lastSchema }) => lastSchema === null);
  if (unknown.length > 0)
    return Promise.all(unknown.map((one) => one.schema())).then(() => opinionsOn(rowhouse, checks));
  return opinionsOn(rowhouse, checks);
}

function opinionsOn(
  rowhouse: Rowhouse,
  { actor, resources }: PermissionChecks,
): Promise<readonly (Opinion | null)[]> | null {
  const made = resources.map((resource) => madeFrom(rowhouse, resource));
  const found = made.filter((one) => one !== null);
  if (found.length === 0) return null;
  return visibleItems(rowhouse.permissions, actor, found, ({ database, source }) =>
    permissionChain({ database, table: source }),
  ).then((open) => made.map((one) => (one === null || open.includes(one) ? null : closedWith(one.source))));
}

function madeFrom({ databases }: Rowhouse, resource: Resource): Made | null {
  if (resource === null || typeof resource === "string") return null;
  const [database, name] = resource;
  const schema = databases.get(database)?.lastSchema ?? null;
  const source = schema === null ? undefined : sourcesIn(schema).get(name);
  return source === undefined ? null : { database, source };
}

interface Made {
  readonly database: string;
  readonly source: string;
}

function databasesOf({ databases }: Rowhouse, resources: readonly Resource[]): readonly Database[] {
  const names = new Set<string>();
  for (const resource of resources) {
    if (resource !== null && typeof resource !== "string") names.add(resource[0]);
  }
  return [...names].map((name) => databases.get(name)).filter((one) => one !== undefined);
}

const remembered = new WeakMap<Schema, ReadonlyMap<string, string>>();

/** The tables made from others, each with the one it is made from. */
function sourcesIn(schema: Schema): ReadonlyMap<string, string> {
  const known = remembered.get(schema);
  if (known !== undefined) return known;
  const sources = new Map<string, string>();
  for (const table of schema.tables.values()) {
    const source = sourceOf(table);
    if (source !== null) sources.set(table.name, source);
  }
  remembered.set(schema, sources);
  return sources;
}

/** The table that a full-text or shadow table is made from. */
export function sourceOf(table: Table | undefined): string | null {
  if (table === undefined) return null;
  const source = table.shadowOf ?? (table.module === null ? null : virtualSource(table));
  return source === table.name ? null : source;
}

/** The table whose content, or whose full-text index, a virtual table shows. */
function virtualSource({ module, sql, fullText }: Table): string | null {
  if (module !== "fts5vocab" && module !== "fts4aux") return fullText?.contentTable ?? null;
  const tokens = meaningful(sqlTokens(sql ?? ""));
  const names = tokens
    .slice(tokens.findIndex(({ text }) => text === "(") + 1)
    .filter(({ kind }) => kind === "word" || kind === "name" || kind === "text")
    .map(({ kind, text }) => (kind === "word" ? text : text.slice(1, -1)));
  // Where a database is named, it comes first; only the one has a kind of list behind the table.
  const atMost = module === "fts5vocab" ? 2 : 1;
  return names[names.length > atMost ? 1 : 0] ?? null;
}

const closedWith = (source: string): Opinion => ({
  allowed: false,
  because: `made from ${source}, which may not be viewed`,
});
