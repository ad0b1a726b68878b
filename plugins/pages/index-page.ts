import { contextOf } from "rowhouse/plugin-api/http";
import type { Page, Rowhouse, Visit } from "rowhouse/plugin-api";
import type { IndexEntry } from "rowhouse/plugin-api/contracts";
import { formattedNumber, counted } from "./formatted-numbers.js";
import { describe } from "./metadata-block.js";
import type { PageModel } from "./renderer.js";

/** The page with all databases. */
export async function indexPage(rowhouse: Rowhouse, page: Page, visit: Visit): Promise<PageModel> {
  const { request, actor } = visit;
  const facts = contextOf<"index">(page);
  const scope = { request, actor };
  return {
    templates: ["index.html"],
    context: {
      databases: facts.databases.map((database) => shownDatabase(rowhouse, database)),
      description: describe(facts.metadata),
      actions: await rowhouse.hooks.homepage_actions.promise([], rowhouse, scope),
      top: await rowhouse.hooks.top_homepage.promise([], rowhouse, scope),
      body_class: "index",
    },
    options: { trail: {} },
  };
}

const shownDatabase = (rowhouse: Rowhouse, database: IndexEntry) => ({
  name: database.name,
  color: database.color,
  href: rowhouse.urls.database(database.name),
  private: database.private,
  summary: database.error ?? summaryOf(database),
  more: database.tables_and_views_more,
  tables: database.tables_and_views_truncated.map((table) => ({
    name: table.name,
    href: rowhouse.urls.table(database.name, table.name),
    title: rowsHint(table),
    private: table.private,
  })),
});

/** `12,345 rows in 3 tables, 20 rows in 2 hidden tables, 1 view`, without parts that are zero. */
function summaryOf(database: IndexEntry): string {
  const rows = (sum: number): string => (database.show_table_row_counts ? `${counted(sum, "row")} in ` : "");
  const parts: string[] = [];
  const shown = database.tables_count;
  if (shown > 0) parts.push(rows(database.table_rows_sum) + counted(shown, "table"));
  if (database.hidden_tables_count > 0) {
    const tables = database.hidden_tables_count === 1 ? "hidden table" : "hidden tables";
    parts.push(
      `${rows(database.hidden_table_rows_sum)}${formattedNumber(database.hidden_tables_count)} ${tables}`,
    );
  }
  if (database.views_count > 0) parts.push(counted(database.views_count, "view"));
  return parts.join(", ");
}

const rowsHint = (table: IndexEntry["tables_and_views_truncated"][number]): string | null =>
  "count" in table && table.count !== null ? counted(table.count, "row") : null;
