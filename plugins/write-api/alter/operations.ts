import { quoteIdentifier, WriteRejected, type Table } from "rowhouse/plugin-api";
import type { ColumnChange, DefaultValues } from "rowhouse/plugin-api/engine";
import { isPrivateTable, isSameName } from "rowhouse/plugin-api/names";
import type { JsonValue } from "rowhouse/plugin-api/json";
import { Arguments, choicesSql } from "../json/arguments.js";
import { isList, isObject, storableText } from "../json/cell-values.js";
import type { Alteration, AlterationContext, ParsedAlteration } from "./alteration.js";
import { columnSql, withConstraint } from "./column-definition.js";
import { parseAddCheck, parseDropCheck } from "./edit-checks.js";
import { addColumn, alterColumn, dropColumn, newColumn, reorderColumns } from "./edit-columns.js";
import { addForeignKey, dropForeignKey, referenceSql, setForeignKeys, setPrimaryKey } from "./edit-keys.js";
import type { NewForeignKey } from "./table-change.js";
import { columnNamed } from "../rows/column-named.js";

type OperationParser = (args: Arguments, defaults: DefaultValues) => ParsedAlteration;

const COLUMN = ["name", "type", "not_null", "default", "default_expr", "choices"];

/** Parsers of the arguments of operations, by operation name. */
const parsers: Readonly<Record<string, OperationParser>> = {
  add_column: parseAddColumn,
  rename_column: parseRenameColumn,
  alter_column: (args, defaults) => {
    args.allowOnly(...COLUMN);
    const name = args.name("name");
    const changes = parseColumnChanges(args, defaults);
    const alteration: Alteration = {
      kind: "edit",
      edit: (definition, context) => {
        if (changes.type !== null && context.table.primaryKeys.some((key) => isSameName(key, name))) {
          requireNoSearchIndex(context, `change the type of ${name}`);
        }
        return alterColumn(definition, name, changes);
      },
    };
    const { type, notNull, choices = null } = changes;
    const testsValues = type !== null || notNull === true || choices !== null;
    return { alteration, change: { op: "alter-column", name, changes }, refersTo: [], testsValues };
  },
  drop_column: (args) => {
    const name = args.allowOnly("name").name("name");
    const alteration: Alteration = {
      kind: "edit",
      edit: (definition, context) => {
        requireColumnNotSearched(context, name, "drop");
        return dropColumn(definition, name, context);
      },
    };
    const change = { op: "drop-column", name } as const;
    return { alteration, change, refersTo: [], moves: { column: name, to: null } };
  },
  reorder_columns: (args) => {
    const columns = args.allowOnly("columns").names("columns");
    const alteration: Alteration = {
      kind: "edit",
      edit: (definition) => reorderColumns(definition, columns),
    };
    return { alteration, change: { op: "reorder-columns" }, refersTo: [] };
  },
  set_primary_key: (args) => {
    const columns = args.allowOnly("columns").names("columns");
    const alteration: Alteration = {
      kind: "edit",
      edit: (definition, context) => {
        requireNoSearchIndex(context, "change the primary key");
        return setPrimaryKey(definition, columns);
      },
    };
    const testsValues = columns.length > 0;
    return { alteration, change: { op: "set-primary-key", columns }, refersTo: [], testsValues };
  },
  add_foreign_key: (args) => {
    const key = parseForeignKey(args.allowOnly("column", "fk_table", "fk_column"));
    const alteration: Alteration = {
      kind: "edit",
      edit: (definition, context) => addForeignKey(definition, key, context),
    };
    const change = { op: "add-foreign-key", key } as const;
    return { alteration, change, refersTo: [key.table], testsValues: true };
  },
  drop_foreign_key: (args) => {
    const column = args.allowOnly("column").name("column");
    const alteration: Alteration = {
      kind: "edit",
      edit: (definition) => dropForeignKey(definition, column),
    };
    return { alteration, change: { op: "drop-foreign-key", column }, refersTo: [] };
  },
  set_foreign_keys: parseSetForeignKeys,
  add_check: parseAddCheck,
  drop_check: parseDropCheck,
  rename_table: (args) => {
    const to = tableName(args.allowOnly("to").name("to"));
    return { alteration: { kind: "rename", to }, change: { op: "rename-table", to }, refersTo: [] };
  },
};

/** @throws WriteRejected */
export function parseOperation(operation: JsonValue, defaults: DefaultValues): ParsedAlteration {
  if (!isObject(operation)) throw new WriteRejected(["must be a dictionary"]);
  const op = operation.get("op");
  const reader = typeof op === "string" && Object.hasOwn(parsers, op) ? parsers[op] : undefined;
  if (reader === undefined) {
    throw new WriteRejected([`"op" must be one of ${Object.keys(parsers).join(", ")}`]);
  }
  const args = operation.get("args") ?? new Map<string, JsonValue>();
  if (!isObject(args)) throw new WriteRejected(['"args" must be a dictionary']);
  requireStorableTexts(args);
  return reader(new Arguments(args), defaults);
}

/** The driver would store U+FFFD for a lone surrogate. @throws WriteRejected */
function requireStorableTexts(value: JsonValue): void {
  if (typeof value === "string") storableText(value);
  else if (isList(value)) value.forEach(requireStorableTexts);
  else if (isObject(value)) [...value.values()].forEach(requireStorableTexts);
}

const parseColumnChanges = (args: Arguments, defaults: DefaultValues): ColumnChange => ({
  type: args.type(),
  notNull: args.flag("not_null"),
  defaultSql: args.defaultSql(defaults),
  choices: choicesSql(args, defaults),
});

/** SQLite adds a column in an instant, except with a default that has to be worked out for every row. */
function parseAddColumn(args: Arguments, defaults: DefaultValues): ParsedAlteration {
  args.allowOnly(...COLUMN, "fk_table", "fk_column");
  const name = args.newName("name");
  const changes = parseColumnChanges(args, defaults);
  if (args.has("fk_table")) {
    const key = { column: name, table: args.name("fk_table"), otherColumn: args.optionalName("fk_column") };
    const alteration: Alteration = {
      kind: "edit",
      edit: (definition, context) => {
        const column = newColumn(name, changes, definition);
        return addColumn(
          definition,
          withConstraint(column, "references", referenceSql(key, context.schema.tables)),
        );
      },
    };
    const change = { op: "add-column", name, changes, key } as const;
    return { alteration, change, refersTo: [key.table] };
  }
  if (args.has("fk_column")) throw new WriteRejected(['"fk_column" needs "fk_table"']);
  // SQLite would compare all rows with a CHECK.
  const isInstant =
    !args.has("default_expr") &&
    (changes.choices ?? null) === null &&
    (changes.notNull !== true || changes.defaultSql !== undefined);
  const alteration: Alteration = isInstant
    ? {
        kind: "statement",
        sql: (definition, { table }) =>
          `alter table ${quoteIdentifier(table.name)} add column ` +
          columnSql(newColumn(name, changes, definition)),
      }
    : { kind: "edit", edit: (definition) => addColumn(definition, newColumn(name, changes, definition)) };
  return { alteration, change: { op: "add-column", name, changes, key: null }, refersTo: [] };
}

function parseRenameColumn(args: Arguments): ParsedAlteration {
  args.allowOnly("name", "to");
  const name = args.name("name");
  const to = args.newName("to");
  const alteration: Alteration = {
    kind: "statement",
    sql: (definition, context) => {
      requireColumnNotSearched(context, name, "rename");
      const column = columnNamed(definition, name);
      const table = quoteIdentifier(context.table.name);
      return `alter table ${table} rename column ${quoteIdentifier(column.name)} to ${quoteIdentifier(to)}`;
    },
  };
  const change = { op: "rename-column", name, to } as const;
  return { alteration, change, refersTo: [], moves: { column: name, to } };
}

const parseForeignKey = (args: Arguments): NewForeignKey => ({
  column: args.name("column"),
  table: args.name("fk_table"),
  otherColumn: args.optionalName("fk_column"),
});

function parseSetForeignKeys(args: Arguments): ParsedAlteration {
  const listed = args.allowOnly("foreign_keys").get("foreign_keys");
  if (!isList(listed) || !listed.every(isObject)) {
    throw new WriteRejected(['"foreign_keys" must be a list of dictionaries']);
  }
  const keys = listed.map((one) =>
    parseForeignKey(new Arguments(one).allowOnly("column", "fk_table", "fk_column")),
  );
  return {
    alteration: { kind: "edit", edit: (definition, context) => setForeignKeys(definition, keys, context) },
    change: { op: "set-foreign-keys", keys },
    refersTo: keys.map(({ table }) => table),
    testsValues: keys.length > 0,
  };
}

function tableName(name: string): string {
  if (name.toLowerCase().startsWith("sqlite_") || name.includes("\n") || isPrivateTable(name)) {
    throw new WriteRejected(["Invalid table name"]);
  }
  return name;
}

/** A full-text index reads its columns by name. @throws WriteRejected */
function requireColumnNotSearched({ table, schema }: AlterationContext, column: string, verb: string): void {
  const index = searchIndex(table);
  const indexed = index === null ? undefined : schema.tables.get(index);
  if (indexed?.columns.some(({ name, hidden }) => !hidden && isSameName(name, column)) !== true) return;
  throw new WriteRejected([`Cannot ${verb} column ${column}: ${index} is a full-text index made of it`]);
}

/** A full-text index refers to rows by rowid. @throws WriteRejected */
function requireNoSearchIndex({ table }: AlterationContext, what: string): void {
  const index = searchIndex(table);
  if (index !== null)
    throw new WriteRejected([`Cannot ${what}: ${index} is a full-text index that counts on rowids`]);
}

/** The full-text index over this table; null if there is none. */
export const searchIndex = ({ name, fullText }: Table): string | null =>
  fullText?.contentTable === name ? fullText.table : null;
