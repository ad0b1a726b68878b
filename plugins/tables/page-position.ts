import {
  BadRequest,
  addressText,
  publishedIdentifier,
  rowPath,
  tildeDecode,
  tildeEncode,
} from "rowhouse/plugin-api";
import type { SqlInput, SqlValue } from "rowhouse/plugin-api";
import type { Sort } from "./page-arguments.js";
import type { TableFacts } from "./table-facts.js";

/** The last row of the page before. */
export interface PreviousRow {
  readonly key: readonly string[];
  /** Of a sorted page, as text; null is NULL. */
  readonly sortValue: string | null;
  /** As it stands in the token. */
  readonly text: string;
}

/** Where a page begins: after a row, or at the start, and then so many rows on. */
export interface Position {
  readonly after: PreviousRow | null;
  readonly offset: number;
}

const NULL_TOKEN = "$null";
const OFFSET = /^(?:(.*),)?\$offset(\d{1,15})$/s;

/**
 * Reads the `_next` token: tilde-encoded key values joined by commas, the sort value first when there is one,
 * `$null` for a sort value of NULL; digits where pages are counted off. `$offset20` at the end counts on from there.
 *
 * @throws BadRequest when it does not fit the table's key and the order
 */
export function readPosition(token: string | null, facts: TableFacts, sort: Sort | null): Position {
  if (token === null || token === "") return { after: null, offset: 0 };
  if (facts.pagingKeys.length === 0) {
    if (!/^\d{1,15}$/.test(token)) throw invalidToken();
    return { after: null, offset: Number(token) };
  }
  const [, before, digits] = OFFSET.exec(token) ?? [null, token, "0"];
  const after = before === undefined ? null : readPreviousRow(before, facts.pagingKeys.length, sort);
  return { after, offset: Number(digits) };
}

function readPreviousRow(text: string, keys: number, sort: Sort | null): PreviousRow {
  const parts = text.split(",");
  const withSortValue = sort !== null && parts.length === keys + 1;
  if (!withSortValue && parts.length !== keys) throw invalidToken();
  // A lone part of a sorted page is the key; its sort value is then taken to be NULL.
  if (!withSortValue && sort !== null && keys > 1) throw invalidToken();
  const first = withSortValue ? parts[0] : undefined;
  const sortValue = first === undefined || first === NULL_TOKEN ? null : tildeDecode(first);
  return { key: parts.slice(withSortValue ? 1 : 0).map(tildeDecode), sortValue, text };
}

const invalidToken = (): BadRequest => new BadRequest("Invalid _next token");

/** The condition that leaves out the rows up to a position, as it is shown and as it runs. */
export interface PagingClause {
  readonly where: string;
  readonly executedWhere: string;
  readonly params: Readonly<Record<string, SqlInput>>;
}

/** Null at the start and where pages are counted off. */
export function pagingClause(
  { after }: Position,
  facts: TableFacts,
  sort: Sort | null,
  source: string,
): PagingClause | null {
  if (after === null) return null;
  const { key, sortValue } = after;
  const params = Object.fromEntries(key.map((value, index) => [`p${index}`, value]));
  const keyCondition = keyAfter(facts);
  if (sort === null) return { where: keyCondition, executedWhere: keyCondition, params };
  if (sortValue === null) {
    const where = afterNull(sort, keyCondition);
    return { where, executedWhere: where, params };
  }
  const value = `:p${key.length}`;
  return {
    where: afterValue(sort, value, keyCondition),
    executedWhere: afterValue(sort, comparisonValue(facts, sort, value, source), keyCondition),
    params: { ...params, [`p${key.length}`]: sortValue },
  };
}

function keyAfter(facts: TableFacts): string {
  if (facts.rowidShown) return "rowid > :p0";
  const names = facts.pagingKeys.map(publishedIdentifier);
  const steps = names.map((name, index) => {
    const before = names.slice(0, index).map((one, place) => `${one} = :p${place}`);
    return `(${[...before, `${name} > :p${index}`].join(" and ")})`;
  });
  return `(${steps.join("\n  or\n")})`;
}

function afterNull({ column, descending }: Sort, keyCondition: string): string {
  const name = publishedIdentifier(column);
  const sameValue = `(${name} is null and ${keyCondition})`;
  return descending ? sameValue : `(${name} is not null or ${sameValue})`;
}

function afterValue({ column, descending }: Sort, value: string, keyCondition: string): string {
  const name = publishedIdentifier(column);
  const sameValue = `(${name} = ${value} and ${keyCondition})`;
  return descending
    ? `(${name} < ${value} or ${name} is null or ${sameValue})`
    : `(${name} > ${value} or ${sameValue})`;
}

/**
 * Values travel in tokens as text, and the column's affinity turns them back. A column without affinity
 * does not: there the value is taken from the row itself, as long as that row is there.
 */
function comparisonValue(facts: TableFacts, { column }: Sort, value: string, source: string): string {
  const declared = facts.table.columns.find(({ name }) => name === column);
  if (declared?.affinity !== "blob") return value;
  const sameRow = facts.pagingKeys
    .map((name, index) => `${publishedIdentifier(name)} = :p${index}`)
    .join(" and ");
  return `coalesce((select ${publishedIdentifier(column)} from ${source} where ${sameRow}), ${value})`;
}

/** The last row of a page; `sortValue` is undefined when the page isn't sorted, `key` null when it can't be told. */
export interface LastRow {
  readonly key: readonly (SqlValue | undefined)[];
  readonly sortValue?: SqlValue;
}

/**
 * The token of the page after `size` rows from `position`. A row whose key can't be had again from its text
 * (NULL, bytes, a column without affinity) is no place to go on from: then rows are counted off.
 */
export function writeToken(facts: TableFacts, position: Position, size: number, last: LastRow): string {
  const offset = position.offset + size;
  if (facts.pagingKeys.length === 0) return String(offset);
  const key = last.key.filter(isExact);
  if (key.length < last.key.length || facts.hasKeyWithoutAffinity || last.sortValue instanceof Uint8Array) {
    const before = position.after === null ? [] : [position.after.text];
    return [...before, `$offset${offset}`].join(",");
  }
  const path = rowPath(key.map(addressText));
  if (last.sortValue !== undefined) return `${sortText(last.sortValue)},${path}`;
  // A key that is an empty text would be no token at all.
  return path === "" ? `$offset${offset}` : path;
}

const isExact = (value: SqlValue | undefined): value is SqlValue =>
  value !== null && value !== undefined && !(value instanceof Uint8Array);

const sortText = (value: SqlValue): string => (value === null ? NULL_TOKEN : tildeEncode(addressText(value)));
