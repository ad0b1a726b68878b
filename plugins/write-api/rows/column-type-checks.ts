import { WriteRejected } from "rowhouse/plugin-api";
import type { TypedColumns } from "rowhouse/plugin-api";
import type { RowValues } from "../json/cell-values.js";
import type { WriteVisit } from "../target/authorize-write.js";

/** What the types of a table's columns have to say about values that come in; null where there are none. */
export const typesOf = async (
  { rowhouse, request }: WriteVisit,
  database: string,
  table: string,
): Promise<TypedColumns | null> =>
  (await rowhouse.serviceIfAny("columnTypes")?.of(database, table, request.receivedMs)) ?? null;

/** Rows as they are to be stored. @throws WriteRejected naming the row and column of each value that is refused */
export function acceptRows(types: TypedColumns | null, rows: readonly RowValues[]): readonly RowValues[] {
  if (types === null) return rows;
  const mistakes: string[] = [];
  const accepted = rows.map((row, index) => {
    const one = acceptRow(types, row, `Row ${index} has an invalid value`);
    mistakes.push(...one.mistakes);
    return one.values;
  });
  if (mistakes.length > 0) throw new WriteRejected(mistakes);
  return accepted;
}

/** Some values of one row, or of several that are to be alike. @throws WriteRejected */
export function acceptChanges(types: TypedColumns | null, changes: RowValues): RowValues {
  if (types === null) return changes;
  const { values, mistakes } = acceptRow(types, changes, "Invalid value");
  if (mistakes.length > 0) throw new WriteRejected(mistakes);
  return values;
}

/** One row, and what is wrong with it. @param says how a message begins: `Row 0 has an invalid value` */
export function acceptRow(
  types: TypedColumns,
  row: RowValues,
  says: string,
): { readonly values: RowValues; readonly mistakes: readonly string[] } {
  const { values, mistakes } = types.accept(row);
  return {
    values,
    mistakes: mistakes.map(({ column, message }) => `${says} in column ${column}: ${message}`),
  };
}
