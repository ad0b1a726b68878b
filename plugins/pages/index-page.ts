import { contextOf } from "rowhouse/plugin-api/http";
import type { Page, Rowhouse, Visit } from "rowhouse/plugin-api";
import type { IndexEntry } from "rowhouse/plugin-api/contracts";
import type { Translator } from "rowhouse/plugin-api/html";
import { tOf } from "./language/texts.js";
import { describe } from "./metadata-block.js";
import type { PageModel } from "./page-model.js";
import { visibleName } from "./row-table.js";

/** The page with all databases. */
export async function indexPage(page: Page, visit: Visit): Promise<PageModel> {
  const { rowhouse, request, actor } = visit;
  const facts = contextOf<"index">(page);
  const scope = { request, actor };
  const t = tOf(visit);
  return {
    templates: ["index.html"],
    context: {
      databases: facts.databases.map((database) => shownDatabase(rowhouse, t, database)),
      description: describe(facts.metadata, t),
      actions: await rowhouse.hooks.homepage_actions.promise([], rowhouse, scope),
      top: await rowhouse.hooks.top_homepage.promise([], rowhouse, scope),
      body_class: "index",
      is_translated: true,
    },
    options: { trail: {} },
  };
}

const shownDatabase = (rowhouse: Rowhouse, t: Translator["t"], database: IndexEntry) => ({
  name: database.name,
  color: database.color,
  href: rowhouse.urls.database(database.name),
  private: database.private,
  summary: database.error ?? summaryOf(t, database),
  more: database.tables_and_views_more,
  tables: database.tables_and_views_truncated.map((table) => ({
    name: visibleName(table.name),
    href: rowhouse.urls.table(database.name, table.name),
    title: rowsHint(t, table),
    private: table.private,
  })),
});

/** `12,345 rows in 3 tables, 20 rows in 2 hidden tables, 1 view`, without parts that are zero. */
function summaryOf(t: Translator["t"], database: IndexEntry): string {
  const within = (sum: number, tables: string): string =>
    database.show_table_row_counts
      ? t("home.rows_in", { rows: t("home.rows", { count: sum }), tables })
      : tables;
  const parts: string[] = [];
  const { tables_count: shown, hidden_tables_count: hidden, views_count: views } = database;
  if (shown > 0) parts.push(within(database.table_rows_sum, t("home.tables", { count: shown })));
  if (hidden > 0)
    parts.push(within(database.hidden_table_rows_sum, t("home.hidden_tables", { count: hidden })));
  if (views > 0) parts.push(t("home.views", { count: views }));
  return parts.join(", ");
}

const rowsHint = (
  t: Translator["t"],
  table: IndexEntry["tables_and_views_truncated"][number],
): string | null =>
  "count" in table && table.count !== null ? t("home.rows", { count: table.count }) : null;
