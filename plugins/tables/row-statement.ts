import type { Database, SqlInput } from "rowhouse/plugin-api";
import type { ReadableTable } from "rowhouse/plugin-api/contracts";
import type { Dialect } from "rowhouse/plugin-api/engine";
import type { TableFacts } from "./table-facts.js";
import { columnsWithSizes } from "./unread-blobs.js";

/** A row of a table as the actor may read it. */
export interface RowPlace {
  readonly database: Database;
  readonly facts: TableFacts;
  readonly readable: ReadableTable;
  readonly key: readonly string[];
}

/**
 * The statement of one row.
 *
 * @param unread columns of which long BLOBs are not read; their sizes are the last columns
 */
export function rowStatement(place: RowPlace, unread: readonly string[]) {
  const { dialect } = place.database;
  const { columns, names } = rowParts(dialect, place.facts);
  const selected = columnsWithSizes(place.database, { columns, names, unread });
  const { source, where, params } = rowCondition(place);
  const sql = `select ${selected.join(", ")} from ${source} where ${where}${dialect.limit(1)}`;
  return { sql, params, columns };
}

/** The bytes of a BLOB of this size in one row; none if the row or its size has changed. */
export async function* blobPieces(
  place: RowPlace,
  { column, size }: { readonly column: string; readonly size: number },
): AsyncGenerator<Uint8Array> {
  const { longBlobs, dialect } = place.database;
  if (longBlobs === undefined) return;
  const value = dialect.publishedIdentifier(column);
  const { where, ...row } = rowCondition(place);
  yield* longBlobs.read({ ...row, value, where: `${where} and ${longBlobs.size(value)} = ${size}` });
}

/** Binds every part of the key as text; the type of the column converts it. */
function rowCondition({ database, facts, readable, key }: RowPlace) {
  const { table } = facts;
  const where = rowParts(database.dialect, facts)
    .keyNames.map((name, index) => database.dialect.equalsKey({ table, name }, key[index] ?? "", `p${index}`))
    .join(" and ");
  const params: Record<string, SqlInput> = { ...readable.params };
  key.forEach((value, index) => (params[`p${index}`] = value));
  return { source: readable.flattenable, where, params };
}

/** Parts of the statement that depend only on the table. */
interface RowParts {
  readonly columns: readonly string[];
  /** The columns as SQL. */
  readonly names: readonly string[];
  readonly keyNames: readonly string[];
}

const rowPartsByFacts = new WeakMap<TableFacts, RowParts>();

function rowParts(dialect: Dialect, facts: TableFacts): RowParts {
  const before = rowPartsByFacts.get(facts);
  if (before !== undefined) return before;
  const { table, rowidShown, keys } = facts;
  const rowid = table.rowidName ?? "rowid";
  const columns = shownColumns(facts);
  const names = columns.map(dialect.publishedIdentifier);
  const parts = {
    columns,
    names: rowidShown ? [dialect.publishedIdentifier(rowid), ...names.slice(1)] : names,
    keyNames: rowidShown ? [rowid] : keys,
  };
  rowPartsByFacts.set(facts, parts);
  return parts;
}

/** The columns of `select *`, preceded by the rowid for rowid tables. */
export function shownColumns({ table, rowidShown }: TableFacts): readonly string[] {
  const own = table.columns.filter(({ hidden }) => !hidden).map(({ name }) => name);
  return rowidShown ? ["rowid", ...own] : own;
}
