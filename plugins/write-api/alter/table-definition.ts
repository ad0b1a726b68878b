import { WriteRejected, type Table } from "rowhouse/plugin-api";
import { isSameName } from "rowhouse/plugin-api/names";
import { meaningful, sqlTokens, type SqlToken } from "rowhouse/plugin-api/sql";
import { columnNamed } from "../rows/column-named.js";
import { declaredName } from "../rows/new-columns.js";
import { columnSql, readColumn, type ColumnDefinition } from "./column-definition.js";
import { splitBefore, bracketDepths, nameOf, textOf, keywordOf } from "./sql-parts.js";

/** A parsed CREATE TABLE statement. Parts can be replaced; all other parts keep their exact text. */
export interface TableDefinition {
  readonly columns: readonly ColumnDefinition[];
  readonly constraints: readonly TableConstraint[];
  /** `WITHOUT ROWID`, `STRICT` */
  readonly options: readonly string[];
}

export interface TableConstraint {
  readonly kind: "primary-key" | "unique" | "check" | "foreign-key";
  /** The columns of this table that it names; empty for a check. */
  readonly columns: readonly string[];
  readonly text: string;
}

const KINDS: ReadonlyMap<string, TableConstraint["kind"]> = new Map<string, TableConstraint["kind"]>([
  ["PRIMARY", "primary-key"],
  ["UNIQUE", "unique"],
  ["CHECK", "check"],
  ["FOREIGN", "foreign-key"],
]);

const readDefinitions = new WeakMap<Table, TableDefinition>();

/** @throws WriteRejected if the columns of the CREATE TABLE statement cannot be parsed completely */
export function definitionOf(table: Table): TableDefinition {
  const known = readDefinitions.get(table);
  if (known !== undefined) return known;
  const definition = readDefinition(table.sql ?? "");
  const isWhole =
    definition.columns.length === table.columns.length &&
    table.columns.every(({ name }, index) => isSameName(name, definition.columns[index]?.name ?? ""));
  if (!isWhole) throw new WriteRejected([`The definition of ${table.name} could not be understood`]);
  readDefinitions.set(table, definition);
  return definition;
}

function readDefinition(sql: string): TableDefinition {
  const tokens = meaningful(sqlTokens(sql));
  const depth = bracketDepths(tokens);
  const open = tokens.findIndex(({ text }, index) => text === "(" && depth[index] === 0);
  const close = tokens.findIndex(({ text }, index) => index > open && text === ")" && depth[index] === 0);
  const inner = tokens.slice(open + 1, close);
  const texts = split(inner).map((part) => textOf(sql, part));
  const firstConstraint = texts.findIndex(isTableConstraint);
  const columns = firstConstraint === -1 ? texts : texts.slice(0, firstConstraint);
  return {
    columns: columns.map(readColumn),
    constraints: texts.slice(columns.length).flatMap(readConstraints),
    options: split(tokens.slice(close + 1)).map((part) => textOf(sql, part)),
  };
}

/** Splits at commas outside of brackets. */
function split(tokens: readonly SqlToken[]): readonly (readonly SqlToken[])[] {
  const depth = bracketDepths(tokens);
  const isComma = (index: number): boolean => tokens[index]?.text === "," && depth[index] === 0;
  const parts = splitBefore(tokens, (index) => index === 0 || isComma(index));
  return parts
    .map((part) => (part[0]?.text === "," ? part.slice(1) : part))
    .filter((part) => part.length > 0);
}

function isTableConstraint(text: string): boolean {
  const word = keywordOf(meaningful(sqlTokens(text))[0]);
  return word === "CONSTRAINT" || KINDS.has(word);
}

/** SQLite allows table constraints without commas between them. */
function readConstraints(sql: string): readonly TableConstraint[] {
  const tokens = meaningful(sqlTokens(sql));
  const depth = bracketDepths(tokens);
  const starts = (index: number): boolean => {
    if (depth[index] !== 0 || keywordOf(tokens[index - 1]) === "CONSTRAINT") return false;
    const word = keywordOf(tokens[index]);
    return word === "CONSTRAINT" || (KINDS.has(word) && keywordOf(tokens[index - 2]) !== "CONSTRAINT");
  };
  return splitBefore(tokens, starts).map((part) => readConstraint(sql, part));
}

function readConstraint(sql: string, tokens: readonly SqlToken[]): TableConstraint {
  const at = keywordOf(tokens[0]) === "CONSTRAINT" ? 2 : 0;
  const kind = KINDS.get(keywordOf(tokens[at])) ?? "check";
  const open = tokens.findIndex(({ text }) => text === "(");
  const depth = bracketDepths(tokens);
  const close = tokens.findIndex(({ text }, index) => index > open && text === ")" && depth[index] === 0);
  const listed = kind === "check" ? [] : split(tokens.slice(open + 1, close));
  const columns = listed.flatMap(([first]) => (first === undefined ? [] : [nameOf(first)]));
  return { kind, columns, text: textOf(sql, tokens) };
}

/** The CREATE TABLE statement of this definition. */
export function definitionSql(name: string, { columns, constraints, options }: TableDefinition): string {
  const lines = [...columns.map(columnSql), ...constraints.map(({ text }) => text)];
  const end = options.length === 0 ? "" : ` ${options.join(", ")}`;
  return `CREATE TABLE ${declaredName(name)} (\n${lines.map((line) => `   ${line}`).join(",\n")}\n)${end}`;
}

/** The definition with one column replaced. */
export const withColumn = (
  definition: TableDefinition,
  name: string,
  change: (column: ColumnDefinition) => ColumnDefinition,
): TableDefinition => {
  const changed = columnNamed(definition, name);
  const columns = definition.columns.map((column) => (column === changed ? change(column) : column));
  return { ...definition, columns };
};

/** Is an option such as `STRICT` set? */
export const hasOption = ({ options }: TableDefinition, option: string): boolean =>
  options.some((one) => one.replace(/\s+/g, " ").toUpperCase() === option);

/** The primary key's columns, in its order. */
export function primaryKeyOf({ columns, constraints }: TableDefinition): readonly string[] {
  const inline = columns.find((column) => column.constraints.some(({ kind }) => kind === "primary-key"));
  if (inline !== undefined) return [inline.name];
  return constraints.find(({ kind }) => kind === "primary-key")?.columns ?? [];
}
