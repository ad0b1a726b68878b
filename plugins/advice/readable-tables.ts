import type { Actor, Database, Rowhouse, Schema, Table } from "rowhouse/plugin-api";
import { foldName } from "rowhouse/plugin-api/names";
import { meaningful, sqlTokens, unquote } from "rowhouse/plugin-api/sql";

/**
 * True if the actor may view every table that a statement names, directly or through views, with all rows and columns.
 * Names count as tables even if they are those of columns, so the result may be false for such a statement.
 */
export async function readsEverything(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
  sql: string,
): Promise<boolean> {
  const tables = namedTables(await database.schema(), sql);
  const names = tables.map(({ name }) => name);
  const access = rowhouse.serviceIfAny("rowAccess");
  if (access === null) return false;
  const viewable = await access.viewable(actor, database, names);
  if (!names.every((name) => viewable.has(name))) return false;
  const readable = await access.readableMany(actor, database, tables);
  return readable.length === tables.length && readable.every(({ restricted }) => !restricted);
}

/** The tables and views whose names occur in the SQL, and in that of these views. */
function namedTables({ tables }: Schema, sql: string): Table[] {
  const byName = new Map([...tables.values()].map((table) => [foldName(table.name), table]));
  const found = new Set<Table>();
  const visit = (text: string): void => {
    for (const token of meaningful(sqlTokens(text))) {
      const table = byName.get(foldName(unquote(token.text)));
      if (table === undefined || found.has(table)) continue;
      found.add(table);
      if (table.kind === "view") visit(table.sql ?? "");
    }
  };
  visit(sql);
  return [...found];
}
