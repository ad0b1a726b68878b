import {
  BadRequest,
  publishedIdentifier,
  realText,
  Real,
  rowPath,
  tildeDecode,
  tildeEncode,
} from "rowhouse/plugin-api";
import type { SqlInput, SqlValue } from "rowhouse/plugin-api";
import type { Sort } from "./sort.js";
import type { TableFacts } from "./table-facts.js";

/** Where a page begins. */
export type Position =
  | { readonly kind: "start" }
  | { readonly kind: "offset"; readonly offset: number }
  /** After the row with this key, and, in a sorted page, this sort value as text; null is NULL. */
  | { readonly kind: "after"; readonly key: readonly string[]; readonly sortValue: string | null };

const NULL_TOKEN = "$null";

/**
 * Reads the `_next` token: tilde-encoded key values joined by commas, the sort value first when there is one,
 * `$null` for a sort value of NULL; digits for pages that are counted off.
 *
 * @throws BadRequest when it does not fit the table's key and the order
 */
export function readPosition(token: string | null, facts: TableFacts, sort: Sort | null): Position {
  if (token === null || token === "") return { kind: "start" };
  const keys = facts.pagingKeys.length;
  if (keys === 0) {
    if (!/^\d{1,15}$/.test(token)) throw invalidToken();
    return { kind: "offset", offset: Number(token) };
  }
  const parts = token.split(",");
  const withSortValue = sort !== null && parts.length === keys + 1;
  if (!withSortValue && parts.length !== keys) throw invalidToken();
  // A lone part of a sorted page is the key; its sort value is then taken to be NULL.
  if (!withSortValue && sort !== null && keys > 1) throw invalidToken();
  const first = withSortValue ? parts[0] : undefined;
  const sortValue = first === undefined || first === NULL_TOKEN ? null : tildeDecode(first);
  return { kind: "after", key: parts.slice(withSortValue ? 1 : 0).map(tildeDecode), sortValue };
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
  position: Position,
  facts: TableFacts,
  sort: Sort | null,
  source: string,
): PagingClause | null {
  if (position.kind !== "after") return null;
  const { key, sortValue } = position;
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
    executedWhere: afterValue(sort, comparable(facts, sort, value, source), keyCondition),
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
function comparable(facts: TableFacts, { column }: Sort, value: string, source: string): string {
  const declared = facts.table.columns.find(({ name }) => name === column);
  if (declared?.affinity !== "blob") return value;
  const sameRow = facts.pagingKeys
    .map((name, index) => `${publishedIdentifier(name)} = :p${index}`)
    .join(" and ");
  return `coalesce((select ${publishedIdentifier(column)} from ${source} where ${sameRow}), ${value})`;
}

/** The token of the page after a row. */
export const writeToken = (key: readonly SqlValue[], sortValue: SqlValue | undefined): string => {
  const path = rowPath(key.map(keyText));
  return sortValue === undefined ? path : `${sortText(sortValue)},${path}`;
};

const sortText = (value: SqlValue): string => (value === null ? NULL_TOKEN : tildeEncode(keyText(value)));

/** A value as text that the column's affinity reads back as the same value, infinities included. */
function keyText(value: SqlValue): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (!(value instanceof Real)) return String(value);
  if (Number.isFinite(value.value)) return realText(value.value);
  return value.value > 0 ? "9e999" : "-9e999";
}
