import { withQuery, type RowSet, type Schema, type Visit } from "rowhouse/plugin-api";
import type { ColumnFacts, TableContext } from "rowhouse/plugin-api/contracts";
import { addressText, isAddressable, selectingArgument } from "rowhouse/plugin-api/engine";
import { numberFormats } from "rowhouse/plugin-api/html";
import { rowPath } from "rowhouse/plugin-api/http";
import type { Urls } from "rowhouse/plugin-api/kernel";
import { isSameName } from "rowhouse/plugin-api/names";
import { currentMetadata } from "rowhouse/plugin-api/metadata";
import type { CellStyle } from "./cells.js";
import { translatorOf } from "./language/texts.js";
import { customSymbols } from "./units.js";

interface Styling {
  /** Of the page. */
  readonly facts: Pick<TableContext, "database" | "metadata">;
  readonly columns: readonly ColumnFacts[];
  readonly rows: RowSet;
  /** Maximum characters of a text; 0 for no limit. */
  readonly truncate: number;
  readonly fold: boolean;
  readonly wholeHref: CellStyle["wholeHref"];
  readonly blobHref: (column: string, bytes: Uint8Array, rowIndex: number) => string | null;
}

/** How the cells of a table's columns are shown. */
export async function tableStyles(visit: Visit, styling: Styling): Promise<CellStyle[]> {
  const { rowhouse, request } = visit;
  const { facts, columns, truncate, fold, wholeHref, blobHref } = styling;
  const { database, metadata } = facts;
  const reader = translatorOf(visit);
  const hasKeys = columns.some(({ foreignKey }) => foreignKey !== null);
  const schema = hasKeys ? await database.schema(request.receivedMs) : null;
  const document = currentMetadata(rowhouse).document;
  const customUnits = customSymbols(document["custom_units"]);
  const numbers = numberFormats(columns, styling.rows, metadata, reader.language);
  return columns.map((column, place) => ({
    numbers: numbers[place] ?? null,
    truncate,
    fold,
    reader,
    wholeHref,
    unit: column.unit,
    customUnits,
    linkTo: schema && keyLink({ urls: rowhouse.urls, database: database.name, schema }, column),
    blobHref: (bytes, rowIndex) => blobHref(column.name, bytes, rowIndex),
  }));
}

/** The page of the referenced row if the key references a primary key, otherwise the rows with this value. */
function keyLink(
  { urls, database, schema }: { readonly urls: Urls; readonly database: string; readonly schema: Schema },
  column: ColumnFacts,
): CellStyle["linkTo"] {
  if (column.foreignKey === null) return null;
  const { otherTable, otherColumn } = column.foreignKey;
  const other = schema.tables.get(otherTable);
  if (other === undefined) return null;
  const keys = other.primaryKeys;
  const isKey = keys.length === 1 && isSameName(keys[0] ?? "", otherColumn);
  const page = urls.table(database, otherTable);
  const byValue = (value: Parameters<typeof selectingArgument>[2]): string =>
    withQuery(page, [selectingArgument(other, otherColumn, value)]);
  if (!isKey && (keys.length > 0 || otherColumn !== other.rowidName)) {
    return (value) => (isAddressable(value) ? byValue(value) : null);
  }
  return (value) => {
    if (!isAddressable(value)) return null;
    const text = addressText(value);
    // An empty text is not a valid address of a row.
    return text === "" ? byValue(value) : urls.row(database, otherTable, rowPath([text]));
  };
}

type QueryStyling = Pick<CellStyle, "truncate" | "fold" | "numbers" | "reader"> & {
  readonly blobHref: (column: string, bytes: Uint8Array) => string | null;
};

/** Cells of a column of a query, of which only the name is known. */
export const queryStyle = (
  column: string,
  { truncate, fold, numbers, reader, blobHref }: QueryStyling,
): CellStyle => ({
  truncate,
  fold,
  numbers,
  reader,
  wholeHref: () => null,
  unit: null,
  customUnits: new Map(),
  linkTo: null,
  blobHref: (bytes) => blobHref(column, bytes),
});
