import { WriteRejected, type Table } from "rowhouse/plugin-api";
import { isSameName } from "rowhouse/plugin-api/names";
import { columnNamed } from "../rows/column-named.js";
import { declaredName, type ColumnReference } from "../rows/new-columns.js";
import type { AlterationContext } from "./alteration.js";
import { hasConstraint, withConstraint, withoutConstraints } from "./column-definition.js";
import type { NewForeignKey } from "./table-change.js";
import { withColumn, type TableDefinition } from "./table-definition.js";

/** Sets the primary key; without columns, the rowid identifies rows. @throws WriteRejected */
export function setPrimaryKey(definition: TableDefinition, key: readonly string[]): TableDefinition {
  const keyNames = key.map((name) => columnNamed(definition, name).name);
  if (new Set(keyNames).size < keyNames.length) throw new WriteRejected(["A column is named twice"]);
  const keyless: TableDefinition = {
    columns: definition.columns.map((column) => withoutConstraints(column, "primary-key")),
    constraints: definition.constraints.filter(({ kind }) => kind !== "primary-key"),
    options:
      keyNames.length > 0 ? definition.options : definition.options.filter((one) => !/^without\b/i.test(one)),
  };
  const [only, ...more] = keyNames;
  if (only === undefined) return keyless;
  if (more.length === 0) {
    return withColumn(keyless, only, (column) => ({
      ...column,
      constraints: [{ kind: "primary-key", text: "PRIMARY KEY" }, ...column.constraints],
    }));
  }
  const text = `PRIMARY KEY (${keyNames.map(declaredName).join(", ")})`;
  const constraint = { kind: "primary-key", columns: keyNames, text } as const;
  return { ...keyless, constraints: [constraint, ...keyless.constraints] };
}

/** Adds a foreign key. @throws WriteRejected */
export function addForeignKey(
  definition: TableDefinition,
  key: NewForeignKey,
  context: AlterationContext,
): TableDefinition {
  const reference = referenceSql(key, context.schema.tables);
  if (hasForeignKey(definition, key.column)) {
    throw new WriteRejected([`The column ${key.column} has a foreign key already`]);
  }
  return withColumn(definition, key.column, (column) => withConstraint(column, "references", reference));
}

/** The parts of tables that a foreign key is checked against. */
export type ReferableTables = ReadonlyMap<
  string,
  Pick<Table, "kind" | "primaryKeys"> & { readonly columns: readonly { readonly name: string }[] }
>;

/** The `REFERENCES` clause of a foreign key. @throws WriteRejected if the referenced table or column does not exist */
export const referenceSql = (
  reference: ColumnReference,
  tables: ReferableTables,
  declare: (name: string) => string = declaredName,
): string => `REFERENCES ${declare(reference.table)}(${declare(referencedColumn(reference, tables))})`;

/** The column that a foreign key references. @throws WriteRejected if the table or the column does not exist */
export function referencedColumn({ table, otherColumn }: ColumnReference, tables: ReferableTables): string {
  const other = tables.get(table);
  if (other?.kind !== "table") throw new WriteRejected([`no such table: ${table}`]);
  const [only, ...more] = other.primaryKeys;
  if (otherColumn === null && (only === undefined || more.length > 0)) {
    throw new WriteRejected([`"fk_column" is needed: ${table} has no primary key of one column`]);
  }
  const column = otherColumn ?? only ?? "";
  if (!other.columns.some(({ name }) => name === column))
    throw new WriteRejected([`no such column: ${column}`]);
  return column;
}

/** Drops the foreign key of a column. @throws WriteRejected if there is none */
export function dropForeignKey(definition: TableDefinition, column: string): TableDefinition {
  if (!hasForeignKey(definition, column)) {
    throw new WriteRejected([`The column ${column} has no foreign key of its own`]);
  }
  return withoutForeignKeys(definition, (name) => isSameName(name, column));
}

/** Replaces all foreign keys on single columns. @throws WriteRejected */
export const setForeignKeys = (
  definition: TableDefinition,
  keys: readonly NewForeignKey[],
  context: AlterationContext,
): TableDefinition =>
  keys.reduce(
    (edited, key) => addForeignKey(edited, key, context),
    withoutForeignKeys(definition, () => true),
  );

const isKeyOf = (columns: readonly string[], name: string): boolean =>
  columns.length === 1 && isSameName(columns[0] ?? "", name);

/** @throws WriteRejected if there is no such column */
const hasForeignKey = (definition: TableDefinition, name: string): boolean =>
  hasConstraint(columnNamed(definition, name), "references") ||
  definition.constraints.some(({ kind, columns }) => kind === "foreign-key" && isKeyOf(columns, name));

const withoutForeignKeys = (
  definition: TableDefinition,
  isMeant: (column: string) => boolean,
): TableDefinition => ({
  ...definition,
  columns: definition.columns.map((column) =>
    isMeant(column.name) ? withoutConstraints(column, "references") : column,
  ),
  constraints: definition.constraints.filter(
    ({ kind, columns: [first = "", ...more] }) =>
      kind !== "foreign-key" || more.length > 0 || !isMeant(first),
  ),
});
