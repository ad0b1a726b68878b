import { withQuery, type Page, type RowSet, type Rowhouse, type Visit } from "rowhouse/plugin-api";
import type { ColumnFacts, RowContext } from "rowhouse/plugin-api/contracts";
import { contextOf, Labelled, type Cell } from "rowhouse/plugin-api/http";
import { cssClass, shortText } from "rowhouse/plugin-api/html";
import { tableStyles } from "./cell-styles.js";
import { isJsonDocument } from "./cells.js";
import { translatorOf } from "./language/texts.js";
import { linkingRows } from "./linking-rows.js";
import { pluginCells } from "./plugin-cells.js";
import { describe, teaserOf } from "./metadata-block.js";
import type { PageModel } from "./page-model.js";
import { bareHeading, recordPieces, type Heading, type RowTable } from "./row-table.js";
import { tableLimits, valueLimit } from "./table-limits.js";
import { rowTemplate } from "./table-page.js";
import { NO_ROWS, factsInOrder } from "./table-rows.js";

/** The page of one row: all of its values, and the rows that reference it. */
export async function rowPage(page: Page, visit: Visit): Promise<PageModel> {
  const facts = contextOf<"row">(page);
  const database = facts.database.name;
  const table = facts.table.name;
  const { rowhouse, request, actor } = visit;
  const classes = [cssClass(database), cssClass(table)] as const;
  const reader = translatorOf(visit);
  const { t } = reader;
  const description = describe(facts.metadata, t);
  const label = labelOf(rowhouse, page, facts);
  const name = `${table}: ${facts.keyValues.join(", ")}`;
  const from = { database: facts.database, actor, sinceMs: request.receivedMs, reader };
  const first = await linkingRows(rowhouse, from, facts.foreignKeyTables);
  const scope = { request, actor, database, table, rowPath: facts.path, row: valuesOf(page.rows ?? NO_ROWS) };
  return {
    templates: [`row-${classes.join("-")}.html`, "row.html"],
    context: {
      heading: label ?? name,
      is_translated: true,
      row_name: label === null ? null : name,
      page_title: [...(label === null ? [] : [label]), `${database}: ${table}`].join(" · "),
      description,
      teaser: teaserOf(description.description),
      linking: facts.foreignKeyTables.map((other, place) => ({
        ...other,
        first: first[place] ?? null,
        href: other.link,
        rows: t("home.rows", { count: other.count }),
      })),
      actions: await rowhouse.hooks.row_actions.promise([], rowhouse, scope),
      top: await rowhouse.hooks.top_row.promise([], rowhouse, scope),
      row_template: rowTemplate(classes, "row"),
      body_class: `row db-${classes[0]} table-${classes[1]}`,
    },
    rows: { table: await rowTable(page, visit), pieces: recordPieces },
    options: { database, table, columns: facts.columns.map(({ name }) => name), trail: { database, table } },
  };
}

const LONGEST_LABEL = 200;

/** The label of the row; null if it has none that differs from its key, or is a JSON document. */
function labelOf(
  rowhouse: Rowhouse,
  { rows }: Page,
  { database, table, keyValues }: RowContext,
): string | null {
  const column = rowhouse.serviceIfAny("tables")?.labelColumn(database.name, table) ?? null;
  const cell = column === null ? null : (rows?.cells?.[0]?.[rows.columns.indexOf(column)] ?? null);
  const value = cell instanceof Labelled ? cell.label : cell;
  if (value === null || value instanceof Uint8Array) return null;
  const text = String(value).trim();
  const isLabel = text !== "" && !keyValues.includes(text) && !isJsonDocument(text);
  return isLabel ? shortText(text, LONGEST_LABEL) : null;
}

const valuesOf = ({ columns, cells }: RowSet): Readonly<Record<string, Cell>> =>
  Object.fromEntries(columns.map((column, index) => [column, cells?.[0]?.[index] ?? null]));

async function rowTable(page: Page, visit: Visit): Promise<RowTable> {
  const { rowhouse } = visit;
  const facts = contextOf<"row">(page);
  const rows = page.rows ?? NO_ROWS;
  const known = factsInOrder(facts.columns, rows.columns);
  const database = facts.database.name;
  const table = facts.table.name;
  const blob = rowhouse.urls.row(database, table, facts.path, "blob");
  const limits = tableLimits(rowhouse);
  const limit = valueLimit(known.length, limits);
  const lengths = (rows.cells?.[0] ?? []).map(lengthOf);
  const isTooMuch = lengths.reduce((sum, length) => sum + length, 0) > limits.characters;
  const valuesCut = isTooMuch && lengths.some((length) => length > limit);
  const truncate = valuesCut ? limit : 0;
  const styles = await tableStyles(visit, {
    facts,
    columns: known,
    rows,
    truncate,
    fold: false,
    wholeHref: () => null,
    blobHref: (column) => withQuery(blob, [["_blob_column", column]]),
  });
  return {
    rows,
    columns: styles.map((style, place) => ({ style, heading: plainHeading(known[place]) })),
    link: null,
    given: await pluginCells(visit, rows, {
      database,
      table,
      primaryKeys: facts.keys,
      truncate,
      columns: known.length,
    }),
    limits,
    found: { rows: rows.cells?.length ?? 0, columns: known.length },
    valuesCut,
    shortened: null,
  };
}

const lengthOf = (cell: Cell): number => (typeof cell === "string" ? cell.length : 0);

const plainHeading = (column: ColumnFacts | undefined): Heading => ({
  ...bareHeading(column?.name ?? ""),
  type: column?.type ?? "",
  notNull: column?.notNull ?? false,
  isKey: column?.isPrimaryKey ?? false,
  description: column?.description ?? null,
});
