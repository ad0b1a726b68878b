import { withQuery, type Actor, type Database, type Rowhouse, type SqlValue } from "rowhouse/plugin-api";
import type { LinkingTable } from "rowhouse/plugin-api/contracts";
import { isAddressable, Real } from "rowhouse/plugin-api/engine";
import { shortText, type Translator } from "rowhouse/plugin-api/html";
import { rowPath, textOfBody } from "rowhouse/plugin-api/http";
import { parseExactJson } from "rowhouse/plugin-api/json";

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
  readonly t: Translator["t"];
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

/** By the JSON page of the table, which has the same permissions and row rules as the link. */
async function firstRows(
  rowhouse: Rowhouse,
  { database, actor, sinceMs, t }: From,
  other: LinkingTable,
): Promise<LinkingRows | null> {
  const [, added = ""] = withQuery("", ARGUMENTS).split("?");
  const reply = await rowhouse.fetch(`${other.link}&${added}`, { actor });
  if (reply.status !== 200) return null;
  const document = parseExactJson(await textOfBody(reply.body)) as {
    readonly columns: readonly string[];
    readonly rows: readonly Readonly<Record<string, unknown>>[];
  };
  const { primaryKeys = [] } = (await database.schema(sinceMs)).tables.get(other.other_table) ?? {};
  const keys = primaryKeys.length > 0 ? primaryKeys : ["rowid"];
  // All rows have the same value in the column that references.
  const columns = document.columns.filter((name) => name !== other.other_column).slice(0, MOST_COLUMNS);
  const hrefOf = (row: Readonly<Record<string, unknown>>): string | null => {
    const values = keys.map((name) => plain(row[name]));
    if (
      values.some(
        (value) =>
          (typeof value === "object" && !(value instanceof Real)) ||
          !isAddressable((value ?? null) as SqlValue),
      )
    )
      return null;
    const path = rowPath(values.map(String));
    return path === "" ? null : rowhouse.urls.row(database.name, other.other_table, path);
  };
  return {
    columns: columns.map((name) => ({ name, isNumeric: document.rows.some((row) => isNumber(row[name])) })),
    rows: document.rows.map((row) => ({
      href: hrefOf(row),
      cells: columns.map((name) => textOf(row[name], t)).map((text) => text && shortText(text, LONGEST)),
    })),
  };
}

/** The value of a foreign key with a label. */
const plain = (cell: unknown): unknown =>
  typeof cell === "object" && cell !== null && "label" in cell && "value" in cell ? cell.value : cell;

const isNumber = (cell: unknown): boolean =>
  typeof cell === "number" || typeof cell === "bigint" || cell instanceof Real;

/** Null for a cell without a value. */
function textOf(cell: unknown, t: Translator["t"]): string | null {
  if (cell === null || cell === undefined) return null;
  if (typeof cell !== "object" || cell instanceof Real) return String(cell);
  if ("label" in cell) return String(cell.label ?? plain(cell) ?? "");
  return "$base64" in cell ? t("row.binary") : JSON.stringify(cell);
}
