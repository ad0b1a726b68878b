import { WriteRejected } from "rowhouse/plugin-api";
import type { TypedColumns } from "rowhouse/plugin-api";
import type { RowValues } from "../json/cell-values.js";
import type { WriteContext } from "../target/write-access.js";

/** The column types of a table (`email`, `json`), which validate and transform values; null if it has none. */
export const columnTypesOf = async (
  { rowhouse, request }: WriteContext,
  database: string,
  table: string,
): Promise<TypedColumns | null> =>
  (await rowhouse.serviceIfAny("columnTypes")?.of(database, table, request.receivedMs)) ?? null;

/** The rows as they will be stored. @throws WriteRejected naming the row and column of each invalid value */
export function applyColumnTypes(
  types: TypedColumns | null,
  rows: readonly RowValues[],
): readonly RowValues[] {
  if (types === null) return rows;
  const mistakes: string[] = [];
  const accepted = rows.map((row, index) => {
    const one = applyColumnTypesToRow(types, row, `Row ${index} has an invalid value`);
    mistakes.push(...one.mistakes);
    return one.values;
  });
  if (mistakes.length > 0) throw new WriteRejected(mistakes);
  return accepted;
}

/** The same for the changes of an update. @throws WriteRejected */
export function applyColumnTypesToChanges(types: TypedColumns | null, changes: RowValues): RowValues {
  if (types === null) return changes;
  const { values, mistakes } = applyColumnTypesToRow(types, changes, "Invalid value");
  if (mistakes.length > 0) throw new WriteRejected(mistakes);
  return values;
}

/** One row as it will be stored, and its errors. @param says the beginning of a message: `Row 0 has an invalid value` */
export function applyColumnTypesToRow(
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
