import type { Column, Database, Table, Transaction } from "rowhouse/plugin-api";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import type { CarriedType } from "./column-kinds.js";
import { declarationOf } from "./declaration.js";
import { portableDefault } from "./portable-default.js";
import type { SourceTable } from "./source-table.js";
import { isComputedEqually, portableExpression } from "./portable-expression.js";

/** A table to copy, with the types of its columns in the target. */
export interface TableCopy extends SourceTable {
  readonly types: readonly CarriedType[];
}

/** What could not be carried, in words. */
export type Losses = string[];

/** The databases of a copy, and what could not be carried. */
export interface Sides {
  readonly from: Database;
  readonly to: Database;
  readonly losses: Losses;
}

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The target of a copy, and the SQL of its source. */
export interface CopyTarget {
  readonly source: Dialect;
  readonly dialect: Dialect;
  readonly transaction: Transaction;
  readonly losses: Losses;
}

/** The expressions and types of a table that engines may read in different ways. */
interface Rules {
  readonly checks: readonly string[];
  /** By name of the column. */
  readonly generated: ReadonlyMap<string, string>;
  /** Columns that are compared without regard to case. */
  readonly caseless: ReadonlySet<string>;
}

const NO_RULES: Rules = { checks: [], generated: new Map(), caseless: new Set() };

/**
 * Creates a table. If the target rejects its expressions or types, it is created without them, which is a loss.
 *
 * @returns the columns whose values are to be copied: generated ones are computed
 */
export async function createTable(target: CopyTarget, copy: TableCopy): Promise<readonly string[]> {
  const { dialect, transaction, losses } = target;
  const before = losses.length;
  const rules = portableRules(target, copy);
  const { caseInsensitive } = dialect.definitions;
  try {
    if (rules.caseless.size > 0 && caseInsensitive.prepare !== null)
      await transaction.run(caseInsensitive.prepare);
    await transaction.run(createStatement(target, copy, rules));
    return copy.columns.filter((name) => !rules.generated.has(name));
  } catch (error) {
    const hasRules = rules.checks.length + rules.generated.size + rules.caseless.size > 0;
    if (!hasRules || !(error instanceof SqlFailed)) throw error;
    losses.length = before;
    losses.push(
      `${copy.table.name}: CHECK constraints, generated columns and the order without case: ${errorText(error)}`,
    );
    await transaction.run(createStatement(target, copy, NO_RULES));
    return copy.columns;
  }
}

function portableRules({ source, dialect, losses }: CopyTarget, { table, columns, types }: TableCopy): Rules {
  const declaration = declarationOf(table);
  const target = {
    types: new Map(columns.map((name, index) => [name, types[index] ?? "text"])),
    quote: dialect.publishedIdentifier,
  };
  const checks = declaration.checks.flatMap((check) => {
    const sql = portableExpression(check, target);
    if (sql === null) losses.push(`${table.name}: CHECK (${check.map(({ text }) => text).join(" ")})`);
    return sql ?? [];
  });
  const generated = new Map<string, string>();
  for (const { name, generated: kind } of table.columns) {
    const expression = declaration.generated.get(name);
    const isCarried = expression !== undefined && isComputedEqually(expression);
    const sql = isCarried ? portableExpression(expression, target) : null;
    if (sql !== null) generated.set(name, sql);
    else if (kind !== "no")
      losses.push(`${table.name}.${name}: the values of a generated column are copied, not its expression`);
  }
  const { isDeclared } = source.definitions.caseInsensitive;
  const holdsText = (column: string): boolean => {
    const type = target.types.get(column);
    return type === "text" || (type === "declared" && affinityOf(table, column) === "text");
  };
  const caseless = [...declaration.texts]
    .filter(([name, text]) => holdsText(name) && isDeclared(text))
    .map(([name]) => name);
  return { checks, generated, caseless: new Set(caseless) };
}

const affinityOf = ({ columns }: Table, column: string): Column["affinity"] | undefined =>
  columns.find(({ name }) => name === column)?.affinity;

/** The CREATE TABLE statement of the target. */
function createStatement(target: CopyTarget, copy: TableCopy, rules: Rules): string {
  const { dialect } = target;
  const { definitions } = dialect;
  const name = definitions.declaredName;
  const { table, columns } = copy;
  const own = copy.hasOwnKey ? columns.slice(1) : columns;
  const lines = own.map((column) => columnLine(target, copy, column, rules));
  if (copy.hasOwnKey && definitions.ownKey !== null) lines.unshift(definitions.ownKey);
  const keys = table.primaryKeys;
  if (keys.length > 1) lines.push(`PRIMARY KEY (${keys.map(name).join(", ")})`);
  for (const index of table.indexes) {
    const unique = index.columns.filter((column) => column !== null);
    if (index.origin === "u" && unique.length === index.columns.length)
      lines.push(`UNIQUE (${unique.map(name).join(", ")})`);
  }
  lines.push(...rules.checks.map((check) => `${checkName(dialect, check, rules)}CHECK (${check})`));
  // The schema lists the last one first.
  for (const key of table.foreignKeys.toReversed()) {
    if (definitions.addForeignKey(table.name, key) !== null) continue;
    lines.push(
      `FOREIGN KEY (${key.columns.map(name).join(", ")}) REFERENCES ${name(key.otherTable)} ` +
        `(${key.otherColumns.map(name).join(", ")}) ON DELETE ${key.onDelete} ON UPDATE ${key.onUpdate}`,
    );
  }
  return `CREATE TABLE ${name(table.name)} (\n${lines.map((line) => `  ${line}`).join(",\n")}\n)`;
}

const MAX_NAME_BYTES = 63;

/** Engines report the name of a violated constraint: the expression says more than a name that they make up. */
function checkName({ definitions }: Dialect, check: string, { checks }: Rules): string {
  const isName =
    Buffer.byteLength(check) <= MAX_NAME_BYTES && checks.filter((one) => one === check).length === 1;
  return isName ? `CONSTRAINT ${definitions.declaredName(check)} ` : "";
}

function columnLine(
  target: Pick<CopyTarget, "source" | "dialect" | "losses">,
  { table, columns, types }: TableCopy,
  column: string,
  rules: Rules,
): string {
  const { definitions } = target.dialect;
  const type = types[columns.indexOf(column)] ?? "text";
  const found = table.columns.find(({ name }) => name === column);
  const declared = rules.caseless.has(column)
    ? definitions.caseInsensitive.type
    : typeInTarget(definitions, type, found);
  const isKey = table.primaryKeys.length === 1 && table.primaryKeys[0] === column;
  const expression = rules.generated.get(column);
  return [
    `${definitions.declaredName(column)} ${declared}`.trim(),
    isKey ? `${type === "integer" ? definitions.assignedKey : ""} PRIMARY KEY`.trim() : "",
    found?.notNull === true && !isKey ? "NOT NULL" : "",
    expression === undefined
      ? defaultClause(target, table, column, type)
      : `GENERATED ALWAYS AS (${expression}) STORED`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

function typeInTarget(
  { numberType, declaredTypes }: Dialect["definitions"],
  type: CarriedType,
  column: Column | undefined,
): string {
  if (type === "number") return numberType;
  if (type !== "declared") return declaredTypes[type];
  // ANY of a STRICT table converts nothing. In other tables it converts texts to numbers.
  return column?.affinity === "blob" && column.type !== "" ? declaredTypes.blob : (column?.type ?? "");
}

function defaultClause(
  { source, dialect, losses }: Pick<CopyTarget, "source" | "dialect" | "losses">,
  table: Table,
  column: string,
  type: CarriedType,
): string {
  const found = table.columns.find(({ name }) => name === column);
  const sql = found?.defaultSql ?? null;
  if (sql === null || found?.isAssigned === true) return "";
  const engines = { from: source.definitions, to: dialect.definitions };
  const carried = portableDefault(sql, type, engines);
  if (carried !== null) return `DEFAULT ${carried}`;
  losses.push(`${table.name}.${column}: the default ${sql}`);
  return "";
}
