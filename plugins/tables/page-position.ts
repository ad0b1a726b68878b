import { BadRequest, type SqlInput, type SqlValue } from "rowhouse/plugin-api";
import { addressText, type Dialect } from "rowhouse/plugin-api/engine";
import { rowPath, tildeDecode, tildeEncode } from "rowhouse/plugin-api/http";
import type { Sort } from "./page-arguments.js";
import type { TableFacts } from "./table-facts.js";

/** The last row of the previous page. */
export interface PreviousRow {
  readonly key: readonly string[];
  /** The sort value as text; null stands for NULL and for unsorted pages. */
  readonly sortValue: string | null;
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
 * Parses the `_next` token: tilde-encoded key values joined by commas, preceded by the sort value if the page is
 * sorted (`$null` for NULL). `$offset20` at the end skips 20 more rows. Tables without paging keys use a plain offset.
 *
 * @throws BadRequest if the token does not match the table's key and the order
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
  // A token of a sorted page with one part contains only the key; the sort value is then NULL.
  if (!withSortValue && sort !== null && keys > 1) throw invalidToken();
  const first = withSortValue ? parts[0] : undefined;
  const sortValue = first === undefined || first === NULL_TOKEN ? null : tildeDecode(first);
  return { key: parts.slice(withSortValue ? 1 : 0).map(tildeDecode), sortValue, text };
}

const invalidToken = (): BadRequest => new BadRequest("Invalid _next token");

/** The condition that skips the rows up to a position: as published, and as executed. */
export interface PagingClause {
  readonly where: string;
  readonly executedWhere: string;
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
  sort: Sort | null,
): PagingClause | null {
  if (after === null) return null;
  const { key, sortValue } = after;
  const { table, pagingKeys } = facts;
  const params = Object.fromEntries(
    key.map((value, index) => [
      `p${index}`,
      dialect.addressedValue({ table, name: pagingKeys[index] ?? "" }, value),
    ]),
  );
  const keyCondition = dialect.followsKey(facts.table, facts.pagingKeys);
  const name = sort === null ? "" : dialect.publishedIdentifier(sort.column);
  if (sort === null) return { where: keyCondition, executedWhere: keyCondition, params };
  if (sortValue === null) {
    const where = afterNull(name, sort, keyCondition);
    return { where, executedWhere: where, params };
  }
  const value = `:p${key.length}`;
  return {
    where: afterValue(name, sort, value, keyCondition),
    executedWhere: afterValue(
      name,
      sort,
      comparisonValue({ dialect, source }, facts, sort, value),
      keyCondition,
    ),
    params: {
      ...params,
      [`p${key.length}`]: dialect.addressedValue({ table, name: sort.column }, sortValue),
    },
  };
}

function afterNull(name: string, { descending }: Sort, keyCondition: string): string {
  const sameValue = `(${name} is null and ${keyCondition})`;
  return descending ? sameValue : `(${name} is not null or ${sameValue})`;
}

function afterValue(name: string, { descending }: Sort, value: string, keyCondition: string): string {
  const sameValue = `(${name} = ${value} and ${keyCondition})`;
  return descending
    ? `(${name} < ${value} or ${name} is null or ${sameValue})`
    : `(${name} > ${value} or ${sameValue})`;
}

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
  const declared = facts.table.columns.find(({ name }) => name === column);
  if (declared?.affinity !== "blob") return value;
  const sameRow = facts.pagingKeys
    .map((name, index) => `${publishedIdentifier(name)} = :p${index}`)
    .join(" and ");
  return `coalesce((select ${publishedIdentifier(column)} from ${source} where ${sameRow}), ${value})`;
}

/** The last row of a page. `sortValue` is undefined if the page isn't sorted, key values if they are not known. */
export interface LastRow {
  readonly key: readonly (SqlValue | undefined)[];
  readonly sortValue?: SqlValue;
}

/**
 * The token of the page after `size` rows from `position`. A key that can't be restored from text (NULL, bytes, a
 * column without affinity) can't be searched for; the token then contains an offset.
 */
export function writeToken(facts: TableFacts, position: Position, size: number, last: LastRow): string {
  const offset = position.offset + size;
  if (facts.pagingKeys.length === 0) return String(offset);
  const key = last.key.filter(isRestorable);
  if (key.length < last.key.length || facts.hasKeyWithoutAffinity || last.sortValue instanceof Uint8Array) {
    const before = position.after === null ? [] : [position.after.text];
    return [...before, `$offset${offset}`].join(",");
  }
  const path = rowPath(key.map(addressText));
  if (last.sortValue !== undefined) return `${sortText(last.sortValue)},${path}`;
  // An empty string as key would be an empty token.
  return path === "" ? `$offset${offset}` : path;
}

const isRestorable = (value: SqlValue | undefined): value is SqlValue =>
  value !== null && value !== undefined && !(value instanceof Uint8Array);

const sortText = (value: SqlValue): string => (value === null ? NULL_TOKEN : tildeEncode(addressText(value)));
