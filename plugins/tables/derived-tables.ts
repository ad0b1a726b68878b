import { meaningful, sqlTokens } from "rowhouse/plugin-api";
import type {
  Awaitable,
  Database,
  Opinion,
  PermissionCheck,
  PermissionChecks,
  Resource,
  Rowhouse,
  Schema,
  Table,
} from "rowhouse/plugin-api";
import { viewTableChain } from "./viewable.js";

/** Schemas as last seen, so that a permission check need not ask the database each time. */
const seen = new WeakMap<Database, Schema>();

/** The schema of a database, kept for {@link closedWithItsSource}. */
export async function seenSchema(database: Database): Promise<Schema> {
  const schema = await database.schema();
  if (seen.get(database) !== schema) seen.set(database, schema);
  return schema;
}

/**
 * A full-text table holds the words of the table it was made from, a shadow table those of its virtual table:
 * whoever may not view the one may not view the other. No opinion on anything else.
 */
export function closedWithItsSource(rowhouse: Rowhouse, check: PermissionCheck): Awaitable<Opinion | null> {
  const { actor, action, resource } = check;
  if (action !== "view-table" || resource === null || typeof resource === "string") return null;
  const database = rowhouse.databases.get(resource[0]);
  if (database === undefined) return null;
  const schema = seen.get(database);
  // Most tables are made from no other one, and most schemas are known: then there is nothing to wait for.
  if (schema !== undefined && sourceOf(schema.tables.get(resource[1])) === null) return null;
  return closedWithTheirSources(rowhouse, { actor, action, resources: [resource] }).then(
    (opinions) => opinions?.[0] ?? null,
  );
}

/** The same about many tables, in one pass. */
export async function closedWithTheirSources(
  rowhouse: Rowhouse,
  { actor, action, resources }: PermissionChecks,
): Promise<readonly (Opinion | null)[] | null> {
  if (action !== "view-table") return null;
  const schemas = await schemasOf(rowhouse, resources);
  const made = resources.map((resource): Made | null => {
    if (resource === null || typeof resource === "string") return null;
    const [database, name] = resource;
    const source = sourceOf(schemas.get(database)?.tables.get(name));
    return source === null ? null : { database, source };
  });
  const chains = made.map((one) => (one === null ? [] : viewTableChain(one.database, one.source)));
  if (chains.every((chain) => chain.length === 0)) return null;
  const answers = await rowhouse.visibilityMany(actor, chains);
  return made.map((one, index) =>
    one === null || answers[index]?.visible === true ? null : closedWith(one.source),
  );
}

interface Made {
  readonly database: string;
  readonly source: string;
}

async function schemasOf(
  { databases }: Rowhouse,
  resources: readonly Resource[],
): Promise<ReadonlyMap<string, Schema>> {
  const names = new Set(
    resources.map((resource) => (typeof resource === "string" ? "" : (resource?.[0] ?? ""))),
  );
  const known = [...names].map((name) => databases.get(name)).filter((one) => one !== undefined);
  return new Map(await Promise.all(known.map(async (one) => [one.name, await seenSchema(one)] as const)));
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
