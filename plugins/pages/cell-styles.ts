import { withQuery, type Database, type RowSet, type Rowhouse, type Schema } from "rowhouse/plugin-api";
import type { ColumnFacts } from "rowhouse/plugin-api/contracts";
import { addressText, isAddressable, selectingArgument } from "rowhouse/plugin-api/engine";
import { type Translator, numberFormats } from "rowhouse/plugin-api/html";
import { rowPath } from "rowhouse/plugin-api/http";
import { isSameName } from "rowhouse/plugin-api/names";
import { currentMetadata } from "rowhouse/plugin-api/metadata";
import type { CellStyle } from "./cells.js";
import { customSymbols } from "./units.js";

interface Styling {
  readonly rowhouse: Rowhouse;
  readonly database: Database;
  /** When the request was received. */
  readonly sinceMs: number;
  readonly columns: readonly ColumnFacts[];
  readonly rows: RowSet;
  /** The metadata of the table. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Maximum characters of a text; 0 for no limit. */
  readonly truncate: number;
  readonly fold: boolean;
  readonly reader: Translator;
  readonly wholeHref: CellStyle["wholeHref"];
  readonly blobHref: (column: string, bytes: Uint8Array, rowIndex: number) => string | null;
}

/** How the cells of a table's columns are shown. */
export async function tableStyles(styling: Styling): Promise<CellStyle[]> {
  const { rowhouse, columns, truncate, fold, reader, wholeHref, blobHref } = styling;
  const hasKeys = columns.some(({ foreignKey }) => foreignKey !== null);
  const schema = hasKeys ? await styling.database.schema(styling.sinceMs) : null;
  const document = currentMetadata(rowhouse).document;
  const customUnits = customSymbols(document["custom_units"]);
  const numbers = numberFormats(columns, styling.rows, styling.metadata, reader.language);
  return columns.map((column, place) => ({
    numbers: numbers[place] ?? null,
    truncate,
    fold,
    reader,
    wholeHref,
    unit: column.unit,
    customUnits,
    linkTo: keyLink(styling, schema, column),
    blobHref: (bytes, rowIndex) => blobHref(column.name, bytes, rowIndex),
  }));
}

/** The page of the referenced row if the key references a primary key, otherwise the rows with this value. */
function keyLink(
  { rowhouse, database }: Styling,
  schema: Schema | null,
  column: ColumnFacts,
): CellStyle["linkTo"] {
  if (column.foreignKey === null || schema === null) return null;
  const { otherTable, otherColumn } = column.foreignKey;
  const other = schema.tables.get(otherTable);
  if (other === undefined) return null;
  const keys = other.primaryKeys;
  const isKey = keys.length === 1 && isSameName(keys[0] ?? "", otherColumn);
  const page = rowhouse.urls.table(database.name, otherTable);
  const byValue = (value: Parameters<typeof selectingArgument>[2]): string =>
    withQuery(page, [selectingArgument(other, otherColumn, value)]);
  if (!isKey && (keys.length > 0 || otherColumn !== other.rowidName)) {
    return (value) => (isAddressable(value) ? byValue(value) : null);
  }
  return (value) => {
    if (!isAddressable(value)) return null;
    const text = addressText(value);
    // An empty text is not a valid address of a row.
    return text === "" ? byValue(value) : rowhouse.urls.row(database.name, otherTable, rowPath([text]));
  };
}

/** Cells of a column of a query, of which only the name is known. */
export const queryStyle = (
  column: string,
  truncate: number,
  {
    numbers,
    blobHref,
    reader,
  }: {
    readonly numbers: CellStyle["numbers"];
    readonly blobHref: (column: string, bytes: Uint8Array) => string | null;
    readonly reader: Translator;
  },
): CellStyle => ({
  truncate,
  reader,
  fold: truncate > 0,
  wholeHref: () => null,
  unit: null,
  customUnits: new Map(),
  numbers,
  linkTo: null,
  blobHref: (bytes) => blobHref(column, bytes),
});
