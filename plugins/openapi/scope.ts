import { BadRequest, type Database, type Visit } from "rowhouse/plugin-api";
import type { DescribedDatabase, DescribedTable } from "rowhouse/plugin-api/openapi";

/** What a document describes. */
export interface Scope {
  /** Null for the document of the whole server. */
  readonly database: Database | null;
  /** The names of tables that the request asks for; empty for all. */
  readonly tableNames: readonly string[];
}

export interface DocumentTables {
  readonly tables: ReadonlySet<DescribedTable>;
  /** How many tables are left out. */
  readonly omitted: number;
}

/** A table takes up to 20 kB. Programs that read the document fail if it has more than some megabytes. */
const MOST_TABLES = 200;

/** The path, and the argument `table` on that of a database. */
export function scopeOf({ target, request }: Visit<"instance" | "database">): Scope {
  return target.kind === "database"
    ? { database: target.database, tableNames: request.query.getAll("table") }
    : { database: null, tableNames: [] };
}

/**
 * All tables if they are few, or those that the request names.
 *
 * @throws BadRequest for a name without a table that the actor may view, and for too many names
 */
export function documentTables(
  { tableNames }: Scope,
  databases: readonly DescribedDatabase[],
): DocumentTables {
  const all = databases.flatMap(({ tables }) => tables);
  if (tableNames.length === 0) {
    const isLarge = all.length > MOST_TABLES;
    return { tables: new Set(isLarge ? [] : all), omitted: isLarge ? all.length : 0 };
  }
  if (tableNames.length > MOST_TABLES)
    throw new BadRequest(`At most ${MOST_TABLES} tables are described at once, not ${tableNames.length}`);
  const byName = new Map(all.map((one) => [one.table.name, one]));
  const named = tableNames.map((name) => {
    const found = byName.get(name);
    if (found === undefined) throw new BadRequest(`table=${name} is not a table that you may view`);
    return found;
  });
  return { tables: new Set(named), omitted: 0 };
}

/** For readers of a document from which tables are left out: how to get a document with them. */
export const omittedNote = (omitted: number): string =>
  `${omitted.toLocaleString("en")} tables are left out: a document has at most ${MOST_TABLES}. ` +
  "/{database}/-/openapi.json describes a database; with ?table=NAME, which can be repeated, some of its tables.";
