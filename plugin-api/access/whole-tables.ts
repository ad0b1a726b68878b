import type { Database } from "../engine/database.js";
import { acceptsWrites, type Table } from "../engine/schema.js";
import type { Rowhouse } from "../kernel/rowhouse.js";
import { permissionChain, visibleItems, type Actor } from "./permissions.js";

/**
 * Those of the tables that the actor may view with all rows and columns, in order.
 *
 * @example
 * const { tables } = await database.schema();
 * const whole = await wholeTables(rowhouse, { actor, database }, [...tables.values()]);
 * whole.map(({ name }) => name); // ["books"]
 */
export async function wholeTables(
  rowhouse: Rowhouse,
  { actor, database }: { readonly actor: Actor | null; readonly database: Database },
  tables: readonly Table[],
): Promise<readonly Table[]> {
  const visible = await visibleItems(rowhouse.permissions, actor, tables, (table) =>
    permissionChain({ database, table }),
  );
  const readable = await rowhouse.serviceIfAny("rowAccess")?.readableMany(actor, database, visible);
  return readable?.filter(({ restricted }) => !restricted).map(({ table }) => table) ?? visible;
}

/**
 * The tables that a foreign key of one column can reference, in the order of their names. A foreign key tells which values
 * the table has, so tables of which a part is hidden from the actor are left out.
 *
 * @example
 * const tables = await referableTables(rowhouse, actor, database);
 * tables.map(({ name }) => name); // ["books"]
 */
export async function referableTables(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
): Promise<readonly Table[]> {
  const { tables } = await database.schema();
  const whole = await wholeTables(rowhouse, { actor, database }, [...tables.values()].filter(isReferable));
  return whole.toSorted((one, two) => (one.name < two.name ? -1 : 1));
}

/** Engines do not accept foreign keys to a key that is checked at the end of a transaction. */
const isReferable = (table: Table): boolean =>
  table.kind === "table" &&
  table.primaryKeys.length === 1 &&
  acceptsWrites(table) &&
  table.deferrableKey !== true;
