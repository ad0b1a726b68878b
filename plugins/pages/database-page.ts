import { cssClass, humanSize, schemaJson, type Translator } from "rowhouse/plugin-api/html";
import { translatorOf } from "./language/texts.js";
import { contextOf, TimeSlices } from "rowhouse/plugin-api/http";
import type { Page, Visit } from "rowhouse/plugin-api";
import type { ListedTable, ListedView, QueryLink } from "rowhouse/plugin-api/contracts";
import { changed } from "./links.js";
import { describe, text } from "./metadata-block.js";
import { addingOffers } from "./narrowing.js";
import { findNames } from "./name-finder.js";
import type { PageModel } from "./page-model.js";
import { visibleName } from "./row-table.js";

/** The parts of the published document of a database that its page shows. */
interface DatabaseDocument {
  readonly database: string;
  readonly tables: readonly ListedTable[];
  readonly views: readonly ListedView[];
  readonly hidden_count: number;
  readonly allow_execute_sql: boolean;
}

/** The page of one database: its tables and queries, and a field for SQL. */
export async function databasePage(page: Page, visit: Visit): Promise<PageModel> {
  const { rowhouse, request, actor } = visit;
  const document = page.data as unknown as DatabaseDocument;
  const facts = contextOf<"database">(page);
  const name = document.database;
  const scope = { request, actor, database: name };
  const reader = translatorOf(visit);
  const { t } = reader;
  const slices = new TimeSlices(request);
  const listed = document.tables.filter(({ hidden }) => facts.showHidden || !hidden);
  const names = findNames(
    { tables: listed, views: document.views, queries: facts.queries.map(shownQuery) },
    request.query.get("_find"),
    t,
  );
  const tables = names.tables.map(
    (table) =>
      new ShownTable(table, {
        href: () => rowhouse.urls.table(name, table.name),
        rows: () => rowsText(table, t),
      }),
  );
  await slices.nextIfOver();
  const actions = await rowhouse.hooks.database_actions.promise([], rowhouse, scope);
  return {
    templates: [`database-${cssClass(name)}.html`, "database.html"],
    context: {
      heading: text(facts.metadata["title"]) ?? name,
      description: describe(facts.metadata, t),
      tables,
      hidden: facts.showHidden ? null : hiddenTables(visit, document.hidden_count, t),
      views: names.views.map((view) => ({ ...view, href: rowhouse.urls.table(name, view.name) })),
      queries: names.queries,
      finder: names.finder && { ...names.finder, shows_hidden: facts.showHidden },
      sql_action: rowhouse.urls.database(name),
      schema_json: schemaJson(facts.editorColumns),
      sql_language: rowhouse.database(name).dialect.language ?? null,
      download: facts.download && { ...facts.download, size: sizeText(facts.download.sizeBytes, reader) },
      actions,
      empty_offers: addingOffers(actions),
      top: await rowhouse.hooks.top_database.promise([], rowhouse, scope),
      is_translated: true,
      body_class: `db db-${cssClass(name)}`,
    },
    lists: [{ name: "table_items", template: "_listed_table.html", items: listItems(tables) }],
    options: { database: name, trail: {} },
  };
}

const shownQuery = (query: QueryLink) => ({
  ...query,
  label: query.title ?? query.name,
  hint: query.description ?? query.sql,
});

/**
 * A table in the list. Its address and text are made when a template reads them, in slices: thousands would block the loop.
 * As accessors of each object they would take ten times as long to define.
 */
class ShownTable {
  readonly #href: () => string;
  readonly #rows: () => string;

  constructor(
    table: ListedTable,
    { href, rows }: { readonly href: () => string; readonly rows: () => string },
  ) {
    Object.assign(this, table, { name: visibleName(table.name) });
    this.#href = href;
    this.#rows = rows;
  }

  get href(): string {
    return this.#href();
  }

  get rows(): string {
    return this.#rows();
  }

  toJSON(): object {
    return Object.assign({ href: this.href, rows: this.rows }, this);
  }
}

function* listItems(tables: readonly ShownTable[]): Generator<object> {
  for (const table of tables) yield table.toJSON();
}

function rowsText({ count, count_estimated: isEstimate }: ListedTable, t: Translator["t"]): string {
  if (count === null) return t("database.many_rows");
  return isEstimate === true ? t("database.about_rows", { count }) : t("home.rows", { count });
}

/** The link that lists the hidden tables, too; null if there are none. */
function hiddenTables({ rowhouse, request }: Visit, count: number, t: Translator["t"]) {
  if (count === 0) return null;
  return {
    label: t("home.hidden_tables", { count }),
    href: changed(rowhouse, request, ["_show_hidden"], [["_show_hidden", "1"]]),
  };
}

const sizeText = (bytes: number, { language, t }: Translator): string =>
  humanSize(bytes, language) ?? t("size.bytes", { count: String(bytes) });
