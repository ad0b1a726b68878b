import type { Column } from "rowhouse/plugin-api";
import { columnOf } from "rowhouse/plugin-api/engine";
import { quoteText } from "rowhouse/plugin-api/sql";
import type { CarriedType } from "./carried-value.js";
import type { CopyTarget } from "./copy-target.js";
import type { TableCopy } from "./source-table.js";
import { declarationOf, type Declaration, type Expression } from "./declaration.js";
import { portableDefault } from "./portable-default.js";
import {
  isComputedEqually,
  portableExpression,
  textOf,
  type ConvertedColumns,
} from "./portable-expression.js";

/** A part of a table's definition that the target may reject. */
export interface Rule {
  readonly kind: "check" | "generated" | "default" | "caseless";
  /** The column to which it belongs; null for CHECK constraints. */
  readonly column: string | null;
  /** Its expression in the target; empty for the order without case. */
  readonly sql: string;
  /** Its name in reports. */
  readonly label: string;
}

/** What the rules of a table follow from. */
interface RuleSource extends Pick<CopyTarget, "source" | "dialect" | "losses"> {
  readonly table: string;
  readonly declaration: Declaration;
  readonly columns: ConvertedColumns;
}

/** The rules of a table in SQL of the target. The others are losses. */
export function portableRules(
  { source, dialect, losses }: CopyTarget,
  { table, columns, types }: TableCopy,
): readonly Rule[] {
  const declaration = declarationOf(table);
  const target: ConvertedColumns = {
    types: new Map(columns.map((name, index) => [name, types[index] ?? "text"])),
    quote: dialect.publishedIdentifier,
    converted: new Set(columns.filter((name, index) => isConverted(columnOf(table, name), types[index]))),
  };
  for (const { name, isAssigned } of table.columns) {
    const isKey = table.primaryKeys.length === 1 && table.primaryKeys[0] === name;
    if (isAssigned === true && !(isKey && target.types.get(name) === "integer"))
      losses.push(`${table.name}.${name}: its values are copied, but no longer assigned`);
  }
  const special = table.columns.filter((column) => source.definitions.isSpecialType?.(column));
  if (special.length > 0)
    losses.push(
      `${table.name}: other types in the target: ${special.map(({ name, type }) => `${name} ${type}`).join(", ")}`,
    );
  for (const part of declaration.parts)
    for (const clause of CLAUSES.flatMap((pattern) => pattern.exec(part)?.[0] ?? []))
      losses.push(`${table.name}: ${clause} in: ${part}`);
  const from: RuleSource = { source, dialect, losses, table: table.name, declaration, columns: target };
  return [
    ...declaration.checks.flatMap((check) => checkRule(from, check)),
    ...table.columns.flatMap((column) => [
      ...valuesRule(from, column),
      ...caselessRule(from, column),
      ...defaultRule(from, column),
      ...generatedRule(from, column),
    ]),
  ];
}

/** True if values may have another type in the source: numbers stored as text, texts as bytes, booleans as 1 and 0. */
const isConverted = (column: Column | undefined, type: CarriedType | undefined): boolean =>
  type === "blob" || (type === "text") !== (column?.affinity === "text");

/** Parts of columns and constraints that only some engines have. */
const CLAUSES = [
  /\bon conflict (?!abort\b)\w+/i,
  /\bcollate (?!["`[]?(?:nocase|binary)\b)\S+/i,
  /(?<!\bnot )\bdeferrable(?: initially deferred)?/i,
  /\bnulls not distinct\b/i,
];

function checkRule({ table, columns, losses }: RuleSource, check: Expression): readonly Rule[] {
  const label = `${table}: CHECK (${textOf(check)})`;
  const sql = portableExpression(check, columns);
  if (sql === null) losses.push(label);
  return sql === null ? [] : [{ kind: "check", column: null, sql, label }];
}

/** The values of an enumerated type. */
function valuesRule({ table, columns }: RuleSource, { name, enumValues }: Column): readonly Rule[] {
  if (enumValues === undefined || columns.types.get(name) !== "text") return [];
  const sql = `${columns.quote(name)} in (${enumValues.map(quoteText).join(", ")})`;
  return [{ kind: "check", column: null, sql, label: `${table}: CHECK (${sql})` }];
}

function caselessRule(
  { table, source, declaration, columns, losses }: RuleSource,
  { name }: Column,
): readonly Rule[] {
  const { isDeclared } = source.definitions.caseInsensitive;
  if (!isDeclared(declaration.texts.get(name) ?? "")) return [];
  const type = columns.types.get(name);
  if (type === "blob")
    losses.push(`${table}.${name}: the order without case, which columns of bytes do not have`);
  if (type !== "text") return [];
  return [{ kind: "caseless", column: name, sql: "", label: `${table}.${name}: the order without case` }];
}

function defaultRule(
  { table, source, dialect, columns, losses }: RuleSource,
  { name, defaultSql, isAssigned }: Column,
): readonly Rule[] {
  if (defaultSql === null || isAssigned === true) return [];
  const engines = { from: source.definitions, to: dialect.definitions };
  const sql = portableDefault(defaultSql, columns.types.get(name) ?? "text", engines);
  const label = `${table}.${name}: the default ${defaultSql}`;
  if (sql === null) losses.push(label);
  return sql === null ? [] : [{ kind: "default", column: name, sql, label }];
}

function generatedRule(
  { table, declaration, columns, losses }: RuleSource,
  { name, generated }: Column,
): readonly Rule[] {
  const expression = declaration.generated.get(name);
  const isCarried = expression !== undefined && isComputedEqually(expression, columns);
  const sql = isCarried ? portableExpression(expression, columns) : null;
  if (isCarried && sql !== null)
    return [
      {
        kind: "generated",
        column: name,
        sql,
        label: `${table}.${name}: the expression ${textOf(expression)}`,
      },
    ];
  if (generated !== "no")
    losses.push(`${table}.${name}: the values of a generated column are copied, not its expression`);
  return [];
}
