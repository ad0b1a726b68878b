import type { Schema, Table } from "rowhouse/plugin-api";
import type { IndexedColumn, SuggestedIndex } from "rowhouse/plugin-api/engine";
import { missingIndex } from "rowhouse/plugin-api/sql";
import { findByName, foldName } from "rowhouse/plugin-api/names";
import type { ColumnMention, SelectScope, Source } from "./select-scopes.js";

/** More columns make an index large, and rarely help. */
const MAX_EQUAL_COLUMNS = 3;

/** A table in a FROM clause, with what the statement does with its columns. */
export interface UsedTable {
  readonly source: Source;
  readonly table: Table;
  readonly equal: readonly string[];
  readonly range: readonly string[];
  /** Conditions of an OR. */
  readonly alternatives: readonly string[];
  /** Empty if the statement sorts by columns of several tables. */
  readonly order: readonly IndexedColumn[];
  readonly group: readonly string[];
  readonly hasLimit: boolean;
}

/** The tables that the SELECTs of a statement read, each with its columns. */
export function usedTables(scopes: readonly SelectScope[], schema: Schema): readonly UsedTable[] {
  const tables = new Map([...schema.tables.values()].map((table) => [foldName(table.name), table]));
  const all = scopes.flatMap((scope) =>
    scope.sources.flatMap((source) => {
      const table = tables.get(foldName(source.table));
      return table === undefined ? [] : [{ scope, source, table }];
    }),
  );
  return all.map((place) => {
    const own = (scope: SelectScope, mention: ColumnMention): boolean =>
      placeOf(all, scope, mention)?.source === place.source;
    // SQLite reads the first table of a join, and looks up rows of the others.
    const isFirst = place.scope.sources[0] === place.source;
    const compared = scopes
      .flatMap((scope) => scope.comparisons.filter((one) => own(scope, one)))
      .filter(({ isJoin }) => !isJoin || !isFirst);
    const sorting = scopes.find(({ order }) => order.length > 0);
    const grouping = scopes.find(({ group }) => group.length > 0);
    const nameOf = (mention: ColumnMention): string => columnOf(place.table, mention) ?? mention.name;
    return {
      source: place.source,
      table: place.table,
      equal: unique(
        compared.filter(({ kind, isAlternative }) => kind === "equal" && !isAlternative).map(nameOf),
      ),
      range: unique(
        compared.filter(({ kind, isAlternative }) => kind === "range" && !isAlternative).map(nameOf),
      ),
      alternatives: unique(compared.filter(({ isAlternative }) => isAlternative).map(nameOf)),
      order: ownTerms(sorting, sorting?.order ?? [], own).map((term) => ({ ...term, name: nameOf(term) })),
      group: ownTerms(grouping, grouping?.group ?? [], own).map(nameOf),
      hasLimit: scopes.some(({ hasLimit }) => hasLimit),
    };
  });
}

const unique = (names: readonly string[]): string[] => [...new Set(names)];

/** The terms, if all of them are columns of this table. */
const ownTerms = <Term extends ColumnMention>(
  scope: SelectScope | undefined,
  terms: readonly Term[],
  own: (scope: SelectScope, mention: ColumnMention) => boolean,
): readonly Term[] => (scope !== undefined && terms.every((term) => own(scope, term)) ? terms : []);

interface Place {
  readonly scope: SelectScope;
  readonly source: Source;
  readonly table: Table;
}

/**
 * The table of a column: in its own SELECT, in one around it, or in a subquery without a LIMIT, which SQLite may join
 * with the statement around it.
 */
function placeOf(all: readonly Place[], scope: SelectScope, mention: ColumnMention): Place | undefined {
  const { qualifier } = mention;
  const having = all.filter(({ table }) => columnOf(table, mention) !== null);
  const named = having.filter(
    ({ source }) => qualifier === null || source.alias.toLowerCase() === qualifier.toLowerCase(),
  );
  for (let at: SelectScope | null = scope; at !== null; at = at.parent) {
    const found = named.find((place) => place.scope === at);
    if (found !== undefined) return found;
  }
  return having.find((place) => isMerged(place.scope, scope));
}

function isMerged(inner: SelectScope, outer: SelectScope): boolean {
  for (let at: SelectScope | null = inner; at !== null; at = at.parent) {
    if (at === outer) return true;
    if (at.hasLimit || at.group.length > 0) return false;
  }
  return false;
}

const columnOf = (table: Table, { name }: ColumnMention): string | null =>
  findByName(table.columns, name)?.name ?? null;

/** An index for the conditions, sort order or groups of a statement on one of its tables; null if it needs none. */
export function suggestIndex(schema: Schema, used: UsedTable): SuggestedIndex | null {
  const equal = used.equal.slice(0, MAX_EQUAL_COLUMNS);
  const order = withoutRowid(
    used.table,
    used.order.filter(({ name }) => !equal.includes(name)),
  );
  const group = used.group.filter((name) => !equal.includes(name));
  const range = used.range.find((name) => !equal.includes(name));
  if (order.length > 0 && (range === undefined || used.hasLimit)) {
    return missingIndex(schema, used.table, [...ascending(equal), ...sortColumns(order)]);
  }
  if (group.length > 0) return missingIndex(schema, used.table, ascending([...equal, ...group]));
  if (range !== undefined) return missingIndex(schema, used.table, ascending([...equal, range]));
  const [alternative] = used.alternatives;
  if (equal.length === 0 && alternative !== undefined)
    return missingIndex(schema, used.table, ascending([alternative]));
  return missingIndex(schema, used.table, ascending(equal));
}

/** Every index of SQLite ends with the rowid. */
const withoutRowid = (
  { primaryKeys, hasRowid }: Table,
  order: readonly IndexedColumn[],
): readonly IndexedColumn[] =>
  hasRowid && primaryKeys.length === 1 && order.length > 1 && order.at(-1)?.name === primaryKeys[0]
    ? order.slice(0, -1)
    : order;

/** Columns of an index in their usual order. */
export const ascending = (names: readonly string[]): IndexedColumn[] =>
  names.map((name) => ({ name, descending: false }));

/** SQLite reads an index in both directions, so only mixed directions need `desc`. */
const sortColumns = (order: readonly IndexedColumn[]): IndexedColumn[] =>
  order.every(({ descending }) => descending) ? ascending(order.map(({ name }) => name)) : [...order];
