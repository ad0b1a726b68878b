import {
  permissionChain,
  type Actor,
  type Column,
  type Database,
  type Rowhouse,
  type Table,
} from "rowhouse/plugin-api";
import { referableTables } from "rowhouse/plugin-api/access";
import { keyColumns } from "rowhouse/plugin-api/engine";
import type { TableTarget } from "rowhouse/plugin-api/http";
import { isPrivateTable } from "rowhouse/plugin-api/names";
import type { DatabaseFacts, TableColumn, TableFacts } from "./client/page-facts.js";

const DEFAULT_BODY_BYTES = 2 ** 21;
/** Of a batch, if another plugin writes. */
const FEW_OPERATIONS = 50;

/** The facts of a table for an actor who may insert into it. */
export async function tableFacts(
  rowhouse: Rowhouse,
  actor: Actor | null,
  { database, table, source }: TableTarget,
): Promise<TableFacts> {
  const resource = [database.name, table.name] as const;
  const may = (action: string): Promise<boolean> => rowhouse.permissions.allowed(actor, action, resource);
  const mayView = await rowhouse.permissions.allowed(actor, permissionChain({ database, table }));
  const keys = keyColumns(table);
  const isWhole = !source.restricted;
  return {
    name: table.name,
    url: rowhouse.urls.table(database.name, table.name),
    columns: table.columns.filter(({ hidden, generated }) => !hidden && generated === "no").map(columnFacts),
    keys,
    mayUpdate: isWhole && keys.length > 0 && (await may("update-row")),
    mayAlter: isWhole && table.kind === "table" && (await may("alter-table")),
    mayUndo: mayView && table.kind === "table" && keys.length > 0 && (await may("delete-row")),
  };
}

/** SQLite gives other types, such as `date` and `boolean`, the affinity of numbers too, but they hold what they are given. */
const DECLARES_NUMBERS = /num|dec/i;

const columnFacts = ({
  name,
  type,
  affinity,
  notNull,
  defaultSql,
  isAssigned,
  primaryKeyPosition,
}: Column): TableColumn => ({
  name,
  type,
  affinity: affinity === "numeric" && !DECLARES_NUMBERS.test(type) ? "blob" : affinity,
  required: notNull && defaultSql === null && isAssigned !== true,
  key: primaryKeyPosition > 0,
});

/** The facts of a database for this actor. */
export async function databaseFacts(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
): Promise<DatabaseFacts> {
  const may = (action: string): Promise<boolean> =>
    rowhouse.permissions.allowed(actor, action, database.name);
  const { tables } = await database.schema();
  const usable = [...tables.values()].filter(isUsable);
  const visible = await rowhouse.permissions.visible(
    actor,
    usable.map(({ name }) => permissionChain({ database, table: name })),
  );
  const viewable = usable.filter((_, index) => visible[index]);
  const insertable = await Promise.all(
    viewable.map(({ name }) => rowhouse.permissions.allowed(actor, "insert-row", [database.name, name])),
  );
  return {
    url: rowhouse.urls.database(database.name),
    mayCreate: (await may("create-table")) && (await may("insert-row")),
    mayDrop: await may("drop-table"),
    tables: viewable
      .filter((_, index) => insertable[index])
      .map(({ name }) => [name, rowhouse.urls.table(database.name, name)] as const),
    referable: (await referableTables(rowhouse, actor, database)).map(({ name }) => name),
    batches: {
      operations: Number(rowhouse.settings.get("max_batch_operations")?.value ?? FEW_OPERATIONS),
      // A character has at most four bytes.
      characters: Math.floor((rowhouse.setting("max_post_body_bytes") || DEFAULT_BODY_BYTES) / 5),
    },
    mixesNumbers: database.dialect.definitions.numbers === "doubles",
  };
}

const isUsable = ({ name, kind, shadowOf }: Table): boolean =>
  kind === "table" && shadowOf === null && !isPrivateTable(name) && !name.toLowerCase().startsWith("sqlite_");
