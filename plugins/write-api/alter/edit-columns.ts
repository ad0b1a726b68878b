import { WriteRejected } from "rowhouse/plugin-api";
import type { ColumnChange, NewColumnType } from "rowhouse/plugin-api/engine";
import { meaningful, sqlTokens } from "rowhouse/plugin-api/sql";
import { isSameName } from "rowhouse/plugin-api/names";
import { columnNamed } from "../rows/column-named.js";
import { declaredName, declaredTypes } from "../rows/new-columns.js";
import type { AlterationContext } from "./alteration.js";
import { withConstraint, withoutConstraints, type ColumnDefinition } from "./column-definition.js";
import { mentionsName } from "./sql-parts.js";
import { choiceSql, withChoices } from "./edit-choices.js";
import { hasOption, primaryKeyOf, withColumn, type TableDefinition } from "./table-definition.js";

/** The type as this table declares it: STRICT tables know no FLOAT. */
const declaredType = (type: NewColumnType, definition: TableDefinition): string =>
  type === "float" && hasOption(definition, "STRICT") ? "REAL" : declaredTypes[type];

/** The definition of a new column. */
export function newColumn(
  name: string,
  changes: ColumnChange,
  definition: TableDefinition,
): ColumnDefinition {
  const type = declaredType(changes.type ?? "text", definition);
  const bare = { name, writtenName: declaredName(name), type, constraints: [], isNew: true } as const;
  const column = changedColumn(bare, { ...changes, type: null }, definition);
  const { choices = null } = changes;
  return choices === null ? column : withConstraint(column, "check", choiceSql(column, choices));
}

/** Adds a column at the end. @throws WriteRejected */
export function addColumn(definition: TableDefinition, column: ColumnDefinition): TableDefinition {
  if (definition.columns.some(({ name }) => isSameName(name, column.name))) {
    throw new WriteRejected([`duplicate column name: ${column.name}`]);
  }
  return { ...definition, columns: [...definition.columns, column] };
}

/** Changes the type, default or NOT NULL of a column. @throws WriteRejected */
export function alterColumn(
  definition: TableDefinition,
  name: string,
  changes: ColumnChange,
): TableDefinition {
  const changed = withColumn(definition, name, (column) => changedColumn(column, changes, definition));
  return changes.choices === undefined ? changed : withChoices(changed, name, changes.choices);
}

function changedColumn(
  column: ColumnDefinition,
  { type, notNull, defaultSql }: ColumnChange,
  definition: TableDefinition,
): ColumnDefinition {
  let changed = column;
  if (type !== null) changed = withValidAutoincrement({ ...changed, type: declaredType(type, definition) });
  if (notNull !== null) changed = withoutConstraints(changed, "not-null", "null");
  if (notNull === true) changed = withConstraint(changed, "not-null", "NOT NULL");
  if (defaultSql !== undefined) changed = withoutConstraints(changed, "default");
  if (typeof defaultSql === "string") changed = withConstraint(changed, "default", `DEFAULT ${defaultSql}`);
  return changed;
}

/** Removes AUTOINCREMENT from a column that is no longer an INTEGER. */
function withValidAutoincrement(column: ColumnDefinition): ColumnDefinition {
  if (column.type === "INTEGER") return column;
  const constraints = column.constraints.map((constraint) =>
    constraint.kind === "primary-key"
      ? { ...constraint, text: constraint.text.replace(/\sautoincrement\b/i, "") }
      : constraint,
  );
  return { ...column, constraints };
}

/** Drops a column. @throws WriteRejected naming what still uses it */
export function dropColumn(
  definition: TableDefinition,
  name: string,
  { table }: AlterationContext,
): TableDefinition {
  const column = columnNamed(definition, name);
  const user = dependentOf(definition, column) ?? dependentIndex(table, column.name);
  if (user !== null) throw new WriteRejected([`Cannot drop column ${column.name}: ${user}`]);
  const isOwn = (columns: readonly string[]): boolean =>
    columns.length === 1 && isSameName(columns[0] ?? "", column.name);
  return {
    ...definition,
    columns: definition.columns.filter((one) => one !== column),
    constraints: definition.constraints.filter(({ columns }) => !isOwn(columns)),
  };
}

function dependentOf(definition: TableDefinition, column: ColumnDefinition): string | null {
  if (definition.columns.length === 1) return "it is the only one";
  if (primaryKeyOf(definition).some((key) => isSameName(key, column.name)))
    return "it is part of the primary key";
  const isNamed = (text: string): boolean => mentionsName(meaningful(sqlTokens(text)), column.name);
  const generated = definition.columns.find(
    (other) =>
      other !== column &&
      other.constraints.some(({ kind, text }) => (kind === "generated" || kind === "check") && isNamed(text)),
  );
  if (generated !== undefined) return `the column ${generated.name} is made from it`;
  const constraint = definition.constraints.find(
    ({ kind, columns, text }) => (kind === "check" || columns.length > 1) && isNamed(text),
  );
  return constraint === undefined ? null : `a constraint of the table uses it: ${constraint.text}`;
}

function dependentIndex(table: AlterationContext["table"], name: string): string | null {
  const used = table.indexes.find(({ sql, columns }) =>
    sql === null
      ? false
      : columns.some((column) => column !== null && isSameName(column, name)) || isUsedIn(sql, name),
  );
  return used === undefined ? null : `the index ${used.name} uses it`;
}

/** Is the column used in an expression or the condition of an index? Skips the names of the index and its table. */
const isUsedIn = (sql: string, name: string): boolean => {
  const tokens = meaningful(sqlTokens(sql));
  return mentionsName(tokens.slice(tokens.findIndex(({ text }) => text === "(")), name);
};

/** Moves these columns to the front. @throws WriteRejected */
export function reorderColumns(definition: TableDefinition, first: readonly string[]): TableDefinition {
  const leading = first.map((name) => columnNamed(definition, name));
  if (new Set(leading).size < leading.length) throw new WriteRejected(["A column is named twice"]);
  const others = definition.columns.filter((column) => !leading.includes(column));
  return { ...definition, columns: [...leading, ...others] };
}
