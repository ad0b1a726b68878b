import { BadRequest, type SqlInput, type SqlValue, type Table } from "rowhouse/plugin-api";
import { addressText, columnOf, isAddressable, isRowid, type Dialect } from "rowhouse/plugin-api/engine";
import { rowPath, tildeDecode, tildeEncode } from "rowhouse/plugin-api/http";
import type { Order, Sort } from "./page-arguments.js";
import type { TableFacts } from "./table-facts.js";

/** The last row of the previous page. */
export interface PreviousRow {
  readonly key: readonly string[];
  /** The value of each column of the order as text; null means NULL. */
  readonly sortValues: readonly (string | null)[];
  /** The row's part of the token. */
  readonly text: string;
}

/** Where a page begins: `offset` rows after a row, or after the start. */
export interface Position {
  readonly after: PreviousRow | null;
  readonly offset: number;
}

const NULL_TOKEN = "$null";
const OFFSET = /^(?:(.*),)?\$offset(\d{1,15})$/s;

/**
 * Parses the `_next` token: tilde-encoded key values joined by commas, preceded by the values of the columns by which
 * the page is sorted (`$null` for NULL). `$offset20` at the end skips 20 more rows. Tables without paging keys use a plain offset.
 *
 * @throws BadRequest if the token does not match the table's key and the order
 */
export function readPosition(token: string | null, facts: TableFacts, order: Order): Position {
  if (token === null || token === "") return { after: null, offset: 0 };
  if (facts.pagingKeys.length === 0) {
    if (!/^\d{1,15}$/.test(token)) throw invalidToken();
    return { after: null, offset: Number(token) };
  }
  const [, before, digits] = OFFSET.exec(token) ?? [null, token, "0"];
  const after = before === undefined ? null : readPreviousRow(before, facts.pagingKeys.length, order.length);
  return { after, offset: Number(digits) };
}

function readPreviousRow(text: string, keys: number, sorts: number): PreviousRow {
  const parts = text.split(",");
  // A token of a sorted page with one part contains only the key; the sort value is then NULL.
  if (parts.length === 1 && keys === 1 && sorts === 1) parts.unshift(NULL_TOKEN);
  if (parts.length !== sorts + keys) throw invalidToken();
  const sortValues = parts.slice(0, sorts).map((part) => (part === NULL_TOKEN ? null : tildeDecode(part)));
  return { key: parts.slice(sorts).map(tildeDecode), sortValues, text };
}

const invalidToken = (): BadRequest => new BadRequest("Invalid _next token");

/** The condition that skips the rows up to a position: as published, and as executed. */
export interface PagingClause {
  readonly where: string;
  readonly executedWhere: string;
  /** The condition of the rows that it skips, in a form that an index serves if there is one. */
  readonly skippedWhere: string;
  readonly params: Readonly<Record<string, SqlInput>>;
}

/** The SQL of the engine, and the source of the rows. */
interface RowsOfPage {
  readonly dialect: Dialect;
  readonly source: string;
}

/** Null on the first page and for tables that page by offset. */
export function pagingClause(
  { dialect, source }: RowsOfPage,
  { after }: Position,
  facts: TableFacts,
  order: Order,
): PagingClause | null {
  if (after === null) return null;
  const { table, pagingKeys } = facts;
  const { key, sortValues } = after;
  const addressed = (name: string, value: string) => dialect.addressedValue({ table, name }, value);
  const values = [
    ...key.map((value, index) => addressed(pagingKeys[index] ?? "", value)),
    ...order.flatMap(({ column }, index) => {
      const value = sortValues[index] ?? null;
      return value === null ? [] : [addressed(column, value)];
    }),
  ];
  const params = Object.fromEntries(values.map((value, index) => [`p${index}`, value]));
  const keyCondition = dialect.keyComparison(table, pagingKeys, ">");
  let named = key.length;
  const steps = order.map((sort, index): Step => {
    const name = dialect.orderValue({ table, name: sort.column });
    const { descending } = sort;
    const mayBeNull = !isNeverNull(table, sort.column);
    if (sortValues[index] === null) return { name, descending, mayBeNull, value: null, comparison: null };
    const value = `:p${named}`;
    named += 1;
    const comparison = comparisonValue({ dialect, source }, facts, sort, value);
    return { name, descending, mayBeNull, value, comparison };
  });
  const executedWhere = rowsAfter(steps, keyCondition, ({ comparison }) => comparison);
  return {
    where: rowsAfter(steps, keyCondition, ({ value }) => value),
    executedWhere,
    skippedWhere: rowsUpTo(dialect, facts, steps, executedWhere),
    params,
  };
}

/** A column of the order with its value in the previous row: as published, and as executed. Null is NULL. */
interface Step {
  readonly name: string;
  readonly descending: boolean;
  readonly mayBeNull: boolean;
  readonly value: string | null;
  readonly comparison: string | null;
}

/** Rows after the previous one by the first column, or equal in it and after the previous one by the others. */
function rowsAfter(
  steps: readonly Step[],
  keyCondition: string,
  valueOf: (step: Step) => string | null,
): string {
  return steps.reduceRight((rest, step) => {
    const value = valueOf(step);
    return value === null ? afterNull(step, rest) : afterValue(step, value, rest);
  }, keyCondition);
}

function afterNull({ name, descending }: Step, rest: string): string {
  const sameValue = `(${name} is null and ${rest})`;
  return descending ? sameValue : `(${name} is not null or ${sameValue})`;
}

function afterValue({ name, descending }: Step, value: string, rest: string): string {
  const sameValue = `(${name} = ${value} and ${rest})`;
  return descending
    ? `(${name} < ${value} or ${name} is null or ${sameValue})`
    : `(${name} > ${value} or ${sameValue})`;
}

/** The rows that are not after the previous one, with a bound of the first column, which an index can serve. */
function rowsUpTo(
  dialect: Dialect,
  { table, pagingKeys }: TableFacts,
  [first]: readonly Step[],
  rowsAfterIt: string,
): string {
  // A comparison with NULL is neither true nor false: such rows come first.
  const others = `(${rowsAfterIt}) is not true`;
  if (first !== undefined) {
    const bound = boundOf(first);
    return bound === null ? others : `${bound} and ${others}`;
  }
  const [key = "", ...more] = pagingKeys;
  const upTo = dialect.keyComparison(table, [key], "<=");
  const bound = isNeverNull(table, key) ? upTo : `(${upTo} or ${dialect.publishedIdentifier(key)} is null)`;
  // A second comparison would convert the text of the key to a number for each row.
  return more.length === 0 ? bound : `${bound} and ${others}`;
}

/** Null if all values come before that of the previous row. */
function boundOf({ name, descending, mayBeNull, comparison }: Step): string | null {
  if (comparison === null) return descending ? null : `${name} is null`;
  if (descending) return `${name} >= ${comparison}`;
  return mayBeNull ? `(${name} <= ${comparison} or ${name} is null)` : `${name} <= ${comparison}`;
}

const isNeverNull = (table: Table, column: string): boolean =>
  columnOf(table, column)?.notNull === true || isRowid(table, column);

/**
 * Tokens contain values as text, which the column's affinity converts back. For a column without affinity, the value
 * is read from the row itself, or taken as text if the row has been deleted.
 */
function comparisonValue(
  { dialect: { publishedIdentifier }, source }: RowsOfPage,
  facts: TableFacts,
  { column }: Sort,
  value: string,
): string {
  const declared = columnOf(facts.table, column);
  if (declared?.affinity !== "blob") return value;
  const sameRow = facts.pagingKeys
    .map((name, index) => `${publishedIdentifier(name)} = :p${index}`)
    .join(" and ");
  return `coalesce((select ${publishedIdentifier(column)} from ${source} where ${sameRow}), ${value})`;
}

/** The last row of a page. Key values are undefined if they are not known. */
export interface LastRow {
  readonly key: readonly (SqlValue | undefined)[];
  /** The value of each column of the order; none if the page is not sorted. */
  readonly sortValues: readonly SqlValue[];
}

/**
 * The token of the page after `size` rows from `position`. A key that can't be restored from text (NULL, bytes, text
 * that is not UTF-8, a column without affinity) can't be searched for; the token then contains an offset.
 */
export function writeToken(facts: TableFacts, position: Position, size: number, last: LastRow): string {
  const offset = position.offset + size;
  if (facts.pagingKeys.length === 0) return String(offset);
  const key = last.key.filter((value = null) => isAddressable(value));
  const isSearchable = last.sortValues.every((value) => value === null || isAddressable(value));
  const isKnown = key.length === last.key.length && !facts.hasKeyWithoutAffinity && isSearchable;
  const token = isKnown ? [...last.sortValues.map(sortText), rowPath(key.map(addressText))].join(",") : "";
  // An empty string as key would be an empty token.
  if (token !== "") return token;
  const before = position.after === null ? [] : [position.after.text];
  return [...before, `$offset${offset}`].join(",");
}

const sortText = (value: SqlValue): string => (value === null ? NULL_TOKEN : tildeEncode(addressText(value)));
