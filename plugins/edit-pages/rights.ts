import {
  html,
  type Actor,
  type Database,
  type Html,
  type Request,
  type Rowhouse,
  type Table,
  type Visit,
} from "rowhouse/plugin-api";
import { acceptsWrites } from "rowhouse/plugin-api/engine";
import { choicesOf } from "./choices.js";
import { emptyFields, writableColumns } from "./fields.js";
import { referencesOf } from "./references.js";

const ACTIONS = ["insert-row", "update-row", "delete-row"] as const;

/** A table as an actor sees it. */
export interface SeenTable {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly database: string;
  readonly table: string;
}

/** The actions on rows that the actor may use. None for views, tables of the engine and immutable databases. */
export async function rowActions(
  rowhouse: Rowhouse,
  { actor, database, table }: Pick<SeenTable, "actor" | "database" | "table">,
): Promise<readonly string[]> {
  if (actor === null || !rowhouse.database(database).mutable) return [];
  if (!(await isWritten(rowhouse, database, table))) return [];
  const allowed = await Promise.all(
    ACTIONS.map((action) => rowhouse.permissions.allowed(actor, action, [database, table])),
  );
  return ACTIONS.filter((_, index) => allowed[index]);
}

/** False for views and tables of the engine. */
export async function isWritten(rowhouse: Rowhouse, database: string, table: string): Promise<boolean> {
  const stored = (await rowhouse.database(database).schema()).tables.get(table);
  return stored !== undefined && acceptsWrites(stored);
}

/** Tells the script of the page what the actor may do with the rows, and what the columns accept. */
export async function editRights(rowhouse: Rowhouse, seen: SeenTable): Promise<Html | null> {
  const actions = await rowActions(rowhouse, seen);
  if (actions.length === 0) return null;
  const database = rowhouse.database(seen.database);
  const { tables } = await database.schema();
  const stored = tables.get(seen.table);
  const source = stored && (await rowhouse.serviceIfAny("rowAccess")?.readable(seen.actor, database, stored));
  const table = source?.table ?? stored;
  if (table === undefined) return null;
  const references = await referencesOf(
    { ...seen, rowhouse, target: { database, table } },
    emptyFields(table),
  );
  const choices = choicesOf(table);
  const columns = writableColumns(table).map(({ name, type, notNull, lacksEmptyText }) => ({
    name,
    type,
    notNull,
    lacksEmptyText,
    isKey: table.primaryKeys.includes(name),
    choices: choices.get(name) ?? null,
    reference: references.get(name) ?? null,
  }));
  return html`<div
    hidden
    class="edit-rights"
    data-may="${actions.join(" ")}"
    data-columns="${JSON.stringify(columns)}"
    ${(await deletesMore({ rowhouse, actor: seen.actor }, database, table)) && "data-deletes-more"}
  ></div>`;
}

/**
 * True if the deletion of a row changes rows of other tables, which is not undone. Tables that the actor may not view do
 * not count: the actor must not learn of them.
 */
export async function deletesMore(
  { rowhouse, actor }: Pick<Visit, "rowhouse" | "actor">,
  database: Database,
  table: Table,
): Promise<boolean> {
  if (database.dialect.definitions.enforcesForeignKeys !== true) return false;
  const { tables } = await database.schema();
  const [shown] = (await rowhouse.serviceIfAny("rowAccess")?.describable(actor, database, [table])) ?? [];
  const { name, incoming } = shown?.table ?? table;
  return incoming.some(({ otherTable }) =>
    (tables.get(otherTable)?.foreignKeys ?? []).some(
      (key) => key.otherTable === name && /cascade|set/i.test(key.onDelete),
    ),
  );
}
