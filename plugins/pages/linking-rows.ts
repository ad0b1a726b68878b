import {
  isObject,
  withQuery,
  type Actor,
  type Database,
  type Rowhouse,
  type SqlValue,
} from "rowhouse/plugin-api";
import type { LinkingTable } from "rowhouse/plugin-api/contracts";
import { isAddressable, isNumber, Real } from "rowhouse/plugin-api/engine";
import {
  shortText,
  type Translator,
  numberFormats,
  shownNumber,
  type NumberedColumn,
} from "rowhouse/plugin-api/html";
import { rowPath, textOfBody, type Cell } from "rowhouse/plugin-api/http";
import { parseExactJson } from "rowhouse/plugin-api/json";
import { currentMetadata } from "rowhouse/plugin-api/metadata";
import { customSymbols, unitSymbol } from "./units.js";

/** The first rows of a table that reference the row of a page. */
export interface LinkingRows {
  readonly columns: readonly { readonly name: string; readonly isNumeric: boolean }[];
  readonly rows: readonly { readonly href: string | null; readonly cells: readonly (string | null)[] }[];
}

interface From {
  readonly database: Database;
  readonly actor: Actor | null;
  /** When the request was received. */
  readonly sinceMs: number;
  readonly reader: Translator;
}

/** Tables whose rows are shown; of others, the page has the number and the link. */
const MOST_TABLES = 5;
const MOST_ROWS = 5;
const MOST_COLUMNS = 5;
const LONGEST = 60;

/** For each table its first rows, as the actor may read them; null for tables beyond the first, and without any. */
export async function linkingRows(
  rowhouse: Rowhouse,
  from: From,
  tables: readonly LinkingTable[],
): Promise<readonly (LinkingRows | null)[]> {
  const found: (LinkingRows | null)[] = [];
  let shown = 0;
  // One after the other: the page must not take more connections than any other.
  for (const other of tables) {
    const isShown = other.count > 0 && shown < MOST_TABLES;
    found.push(isShown ? await firstRows(rowhouse, from, other) : null);
    if (isShown) shown += 1;
  }
  return found;
}

const ARGUMENTS = [
  ["_size", String(MOST_ROWS)],
  ["_shape", "objects"],
  ["_labels", "on"],
  ["_nocount", "1"],
  ["_nofacet", "1"],
  ["_nosuggest", "1"],
  ["_format", "json"],
] as const;

type JsonRow = Readonly<Record<string, unknown>>;

/** By the JSON page of the table, which has the same permissions and row rules as the link. */
async function firstRows(
  rowhouse: Rowhouse,
  { database, actor, sinceMs, reader }: From,
  other: LinkingTable,
): Promise<LinkingRows | null> {
  const [, added = ""] = withQuery("", ARGUMENTS).split("?");
  const reply = await rowhouse.fetch(`${other.link}&${added}`, { actor });
  if (reply.status !== 200) return null;
  const { columns, rows } = parseExactJson(await textOfBody(reply.body)) as {
    readonly columns: readonly string[];
    readonly rows: readonly JsonRow[];
  };
  const { primaryKeys = [] } = (await database.schema(sinceMs)).tables.get(other.other_table) ?? {};
  // All rows have the same value in the column that references.
  const shown = columns.filter((name) => name !== other.other_column).slice(0, MOST_COLUMNS);
  const numbers = numberTexts(rowhouse, [database.name, other.other_table], {
    columns: shown.map((name) => ({ name, isPrimaryKey: primaryKeys.includes(name) })),
    cells: rows.map((row) => shown.map((name) => row[name] as Cell)),
    language: reader.language,
  });
  return {
    columns: shown.map((name) => ({ name, isNumeric: rows.some((row) => isNumber(row[name])) })),
    rows: rows.map((row) => {
      const path = pathOf(row, primaryKeys.length > 0 ? primaryKeys : ["rowid"]);
      return {
        href: path === null ? null : rowhouse.urls.row(database.name, other.other_table, path),
        cells: shown.map((name, place) => {
          const cell = row[name];
          const text = isNumber(cell) ? numbers(cell, place) : textOf(cell, reader.t);
          return text && shortText(text, LONGEST);
        }),
      };
    }),
  };
}

/** The path of a row; null if it has none. */
function pathOf(row: JsonRow, keys: readonly string[]): string | null {
  const values = keys.map((name) => plain(row[name]));
  return values.every(isKeyValue) ? rowPath(values.map(String)) || null : null;
}

/** False for NULL, for BLOBs, and for a key that is hidden. */
const isKeyValue = (value: unknown): boolean =>
  value !== undefined &&
  (typeof value !== "object" || value instanceof Real) &&
  isAddressable(value as SqlValue);

/** Writes the numbers of each column as the page of their table does, with their unit. */
function numberTexts(
  rowhouse: Rowhouse,
  [database, table]: readonly [database: string, table: string],
  {
    columns,
    cells,
    language,
  }: {
    readonly columns: readonly NumberedColumn[];
    readonly cells: readonly (readonly Cell[])[];
    readonly language: string;
  },
): (number: number | bigint | Real, place: number) => string {
  const metadata = currentMetadata(rowhouse);
  const block = metadata.table(database, table);
  const units = isObject(block["units"]) ? block["units"] : {};
  const custom = customSymbols(metadata.document["custom_units"]);
  const formats = numberFormats(columns, { cells }, block, language);
  return (number, place) => {
    const format = formats[place];
    const name = columns[place]?.name ?? "";
    const text = format === undefined ? String(number) : shownNumber(number, format);
    return Object.hasOwn(units, name) ? `${text} ${unitSymbol(String(units[name]), custom)}` : text;
  };
}

/** The value of a foreign key with a label. */
const plain = (cell: unknown): unknown =>
  typeof cell === "object" && cell !== null && "label" in cell && "value" in cell ? cell.value : cell;

/** The text of a cell that is no number. Null for one without a value. */
function textOf(cell: unknown, t: Translator["t"]): string | null {
  if (cell === null || cell === undefined) return null;
  if (typeof cell !== "object") return String(cell);
  if ("label" in cell) return String(cell.label ?? plain(cell) ?? "");
  return "$base64" in cell ? t("row.binary") : JSON.stringify(cell);
}
