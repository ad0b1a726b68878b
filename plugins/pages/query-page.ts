import { cssClass, numberFormats, schemaJson, type Translator } from "rowhouse/plugin-api/html";
import { contextOf, type TargetOf } from "rowhouse/plugin-api/http";
import type { Actor, Html, Page, Request, RowSet, Rowhouse, Visit } from "rowhouse/plugin-api";
import type { QueryContext } from "rowhouse/plugin-api/contracts";
import { queryStyle } from "./cell-styles.js";
import { tOf, translatorOf } from "./language/texts.js";
import { pluginCells } from "./plugin-cells.js";
import { formatLinks, hashLinks, otherFormats } from "./links.js";
import { describe, text } from "./metadata-block.js";
import type { PageModel } from "./page-model.js";
import { type RowTable, bareHeading, rowTablePieces } from "./row-table.js";
import { limitedRows, tableLimits, valueLimit, type TableLimits } from "./table-limits.js";
import { NO_ROWS } from "./table-rows.js";

/** The page of an SQL query: an editor or a form, and the results. */
export async function queryPage(page: Page, visit: Visit): Promise<PageModel> {
  const { database } = visit.target as TargetOf<"database"> | TargetOf<"query">;
  const facts = contextOf<"query">(page);
  const t = tOf(visit);
  const { rowhouse, request, actor } = visit;
  const { queryName, sql } = facts;
  const params = Object.fromEntries(facts.parameters.map(({ name, value }) => [name, value]));
  const scope = { request, actor, database: database.name, sql, params };
  const linkTo = formatLinks(rowhouse, request);
  return {
    templates: candidates(cssClass(database.name), queryName),
    context: {
      heading:
        text(facts.metadata["title"]) ??
        (queryName === null ? database.name : `${database.name}: ${queryName}`),
      page_title: `${database.name}: ${queryName ?? sql}`,
      description: describe(facts.metadata, t),
      is_translated: true,
      form_heading: formHeading(page, facts, t),
      schema_json: schemaJson(facts.tableColumns),
      sql_language: database.dialect.language ?? null,
      row_template: ["_table.html"],
      export_formats: otherFormats(rowhouse, page, linkTo),
      export_csv: linkTo("csv", [["_size", "max"]]),
      actions: await rowhouse.hooks.query_actions.promise([], rowhouse, { ...scope, queryName }),
      top: await queryTop(rowhouse, scope, facts),
      body_class: ["query", `db-${cssClass(database.name)}`, queryName && `query-${cssClass(queryName)}`]
        .filter(Boolean)
        .join(" "),
    },
    rows: { table: await queryRows(page, visit, database.name), pieces: rowTablePieces },
    options: {
      database: database.name,
      columns: page.rows?.columns ?? [],
      trail: { database: database.name },
    },
  };
}

interface Scope {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly database: string;
  readonly sql: string;
  readonly params: Readonly<Record<string, string>>;
}

async function queryTop(rowhouse: Rowhouse, scope: Scope, facts: QueryContext): Promise<readonly Html[]> {
  const { queryName } = facts;
  const { top_query, top_stored_query } = rowhouse.hooks;
  const any = await top_query.promise([], rowhouse, scope);
  if (queryName === null) return any;
  return [...any, ...(await top_stored_query.promise([], rowhouse, { ...scope, queryName }))];
}

/** One more row would exceed the limit of cells. */
const isFull = ({ cells, columns }: RowSet, limits: TableLimits): boolean =>
  ((cells?.length ?? 0) + 1) * columns.length > limits.cells;

const candidates = (database: string, query: string | null): string[] => [
  ...(query === null ? [] : [`query-${database}-${cssClass(query)}.html`]),
  `query-${database}.html`,
  "query.html",
];

/** `Custom SQL query returning more than 1,000 rows`; without the number if there are no results. */
function formHeading(page: Page, { kind, error }: QueryContext, t: Translator["t"]): string {
  const what = kind === "sql" ? t("database.custom_sql") : t("query.query");
  const rows = page.rows?.cells ?? [];
  if (kind === "write" || error !== null) return what;
  const count = rows.length;
  return page.data["truncated"] === true
    ? t("query.returning_more", { what, count })
    : t("query.returning", { what, count });
}

async function queryRows(page: Page, visit: Visit, database: string): Promise<RowTable> {
  const { rowhouse } = visit;
  const limits = tableLimits(rowhouse);
  const found = page.rows ?? NO_ROWS;
  const rows = limitedRows(found, limits);
  const columns = rows.columns.slice(0, limits.columns);
  const truncateSetting = rowhouse.setting("truncate_cells_html");
  const truncate = truncateSetting || valueLimit(columns.length, limits);
  const reader = translatorOf(visit);
  const blobHref = hashLinks(rowhouse, visit.request);
  const { metadata } = contextOf<"query">(page);
  const numbers = numberFormats(
    columns.map((name) => ({ name })),
    rows,
    metadata,
    reader.language,
  );
  return {
    rows,
    columns: columns.map((column, place) => ({
      heading: bareHeading(column),
      style: queryStyle(column, {
        truncate,
        fold: truncateSetting > 0,
        numbers: numbers[place] ?? null,
        reader,
        blobHref,
      }),
    })),
    link: null,
    given: await pluginCells(visit, rows, {
      database,
      table: null,
      primaryKeys: [],
      truncate: 0,
      columns: columns.length,
    }),
    limits,
    found: { rows: found.cells?.length ?? 0, columns: found.columns.length },
    valuesCut: false,
    shortened:
      page.data["truncated"] === true && isFull(found, limits)
        ? reader.t("query.only_first", { count: found.cells?.length ?? 0 })
        : null,
  };
}
