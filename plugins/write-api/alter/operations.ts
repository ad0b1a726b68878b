import { WriteRejected, quoteIdentifier } from "rowhouse/plugin-api";
import type { Table } from "rowhouse/plugin-api";
import { isKept } from "../idempotency/idempotency-store.js";
import { Arguments } from "../json/arguments.js";
import { isList, isObject } from "../json/cell-values.js";
import type { JsonValue } from "../json/cell-values.js";
import { columnSql, withConstraint } from "./column-definition.js";
import { addColumn, alterColumn, dropColumn, newColumn, reorderColumns } from "./edit-columns.js";
import type { ColumnWishes } from "./edit-columns.js";
import { addForeignKey, dropForeignKey, referenceSql, setForeignKeys, setPrimaryKey } from "./edit-keys.js";
import type { NewKey } from "./edit-keys.js";
import { sameName } from "./sql-parts.js";
import { columnNamed } from "./table-definition.js";
import type { Alteration, ReadAlteration, Surroundings } from "./table-definition.js";

type Reader = (args: Arguments) => Alteration | ReadAlteration;

const COLUMN = ["name", "type", "not_null", "default", "default_expr"];

/** Every operation by its name: what its arguments mean. */
const readers: Readonly<Record<string, Reader>> = {
  add_column: readAddColumn,
  rename_column: readRenameColumn,
  alter_column: (args) => {
    args.only(...COLUMN);
    const name = args.name("name");
    const wishes = wishesOf(args);
    return {
      kind: "edit",
      edit: (definition, around) => {
        if (wishes.type !== null && around.table.primaryKeys.some((key) => sameName(key, name))) {
          requireUnindexed(around, `change the type of ${name}`);
        }
        return alterColumn(definition, name, wishes);
      },
    };
  },
  drop_column: (args) => {
    const name = args.only("name").name("name");
    const edit: Alteration = {
      kind: "edit",
      edit: (definition, around) => {
        requireNotSearched(around, name, "drop");
        return dropColumn(definition, name, around);
      },
    };
    return { alteration: edit, refersTo: [], moves: { column: name, to: null } };
  },
  reorder_columns: (args) => {
    const columns = args.only("columns").names("columns");
    return { kind: "edit", edit: (definition) => reorderColumns(definition, columns) };
  },
  set_primary_key: (args) => {
    const columns = args.only("columns").names("columns");
    return {
      kind: "edit",
      edit: (definition, around) => {
        requireUnindexed(around, "change the primary key");
        return setPrimaryKey(definition, columns);
      },
    };
  },
  add_foreign_key: (args) => {
    const key = newKey(args.only("column", "fk_table", "fk_column"));
    const edit: Alteration = {
      kind: "edit",
      edit: (definition, around) => addForeignKey(definition, key, around),
    };
    return { alteration: edit, refersTo: [key.table] };
  },
  drop_foreign_key: (args) => {
    const column = args.only("column").name("column");
    return { kind: "edit", edit: (definition) => dropForeignKey(definition, column) };
  },
  set_foreign_keys: readSetForeignKeys,
  rename_table: (args) => ({ kind: "rename", to: tableName(args.only("to").name("to")) }),
};

/** @throws WriteRejected */
export function readOperation(operation: JsonValue): ReadAlteration {
  if (!isObject(operation)) throw new WriteRejected(["must be a dictionary"]);
  const op = operation.get("op");
  const reader = typeof op === "string" && Object.hasOwn(readers, op) ? readers[op] : undefined;
  if (reader === undefined) {
    throw new WriteRejected([`"op" must be one of ${Object.keys(readers).join(", ")}`]);
  }
  const args = operation.get("args") ?? new Map<string, JsonValue>();
  if (!isObject(args)) throw new WriteRejected(['"args" must be a dictionary']);
  const read = reader(new Arguments(args));
  return "alteration" in read ? read : { alteration: read, refersTo: [] };
}

const wishesOf = (args: Arguments): ColumnWishes => ({
  type: args.type(),
  notNull: args.flag("not_null"),
  defaultSql: args.defaultSql(),
});

/** SQLite adds a column in an instant, except with a default that has to be worked out for every row. */
function readAddColumn(args: Arguments): ReadAlteration {
  args.only(...COLUMN, "fk_table", "fk_column");
  const name = args.newName("name");
  const wishes = wishesOf(args);
  if (args.has("fk_table")) {
    const key = { column: name, table: args.name("fk_table"), otherColumn: args.optionalName("fk_column") };
    const edit: Alteration = {
      kind: "edit",
      edit: (definition, around) => {
        const column = newColumn(name, wishes, definition);
        return addColumn(
          definition,
          withConstraint(column, "references", referenceSql(key, around.schema.tables)),
        );
      },
    };
    return { alteration: edit, refersTo: [key.table] };
  }
  if (args.has("fk_column")) throw new WriteRejected(['"fk_column" needs "fk_table"']);
  const isInstant = !args.has("default_expr") && (wishes.notNull !== true || wishes.defaultSql !== undefined);
  const alteration: Alteration = isInstant
    ? {
        kind: "statement",
        sql: (definition, { table }) =>
          `alter table ${quoteIdentifier(table.name)} add column ` +
          columnSql(newColumn(name, wishes, definition)),
      }
    : { kind: "edit", edit: (definition) => addColumn(definition, newColumn(name, wishes, definition)) };
  return { alteration, refersTo: [] };
}

function readRenameColumn(args: Arguments): ReadAlteration {
  args.only("name", "to");
  const name = args.name("name");
  const to = args.newName("to");
  const alteration: Alteration = {
    kind: "statement",
    sql: (definition, around) => {
      requireNotSearched(around, name, "rename");
      const column = columnNamed(definition, name);
      const table = quoteIdentifier(around.table.name);
      return `alter table ${table} rename column ${quoteIdentifier(column.name)} to ${quoteIdentifier(to)}`;
    },
  };
  return { alteration, refersTo: [], moves: { column: name, to } };
}

const newKey = (args: Arguments): NewKey => ({
  column: args.name("column"),
  table: args.name("fk_table"),
  otherColumn: args.optionalName("fk_column"),
});

function readSetForeignKeys(args: Arguments): ReadAlteration {
  const listed = args.only("foreign_keys").get("foreign_keys");
  if (!isList(listed) || !listed.every(isObject)) {
    throw new WriteRejected(['"foreign_keys" must be a list of dictionaries']);
  }
  const keys = listed.map((one) => newKey(new Arguments(one).only("column", "fk_table", "fk_column")));
  return {
    alteration: { kind: "edit", edit: (definition, around) => setForeignKeys(definition, keys, around) },
    refersTo: keys.map(({ table }) => table),
  };
}

function tableName(name: string): string {
  if (name.toLowerCase().startsWith("sqlite_") || name.includes("\n") || isKept(name)) {
    throw new WriteRejected(["Invalid table name"]);
  }
  return name;
}

/** A full-text index asks for the columns it was made of by their names. @throws WriteRejected */
function requireNotSearched({ table, schema }: Surroundings, column: string, verb: string): void {
  const index = searchIndex(table);
  const indexed = index === null ? undefined : schema.tables.get(index);
  if (indexed?.columns.some(({ name, hidden }) => !hidden && sameName(name, column)) !== true) return;
  throw new WriteRejected([`Cannot ${verb} column ${column}: the full-text index ${index} is made of it`]);
}

/** A full-text index finds rows again by their rowids. @throws WriteRejected */
function requireUnindexed({ table }: Surroundings, what: string): void {
  const index = searchIndex(table);
  if (index !== null)
    throw new WriteRejected([`Cannot ${what}: the full-text index ${index} counts on rowids`]);
}

/** The full-text index that takes its words out of this table. */
export const searchIndex = ({ name, fullText }: Table): string | null =>
  fullText?.contentTable === name ? fullText.table : null;
