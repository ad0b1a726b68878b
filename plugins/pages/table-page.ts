import { withQuery, type Page, type Rowhouse, type Visit } from "rowhouse/plugin-api";
import type { TableContext } from "rowhouse/plugin-api/contracts";
import { cssClass, type Translator } from "rowhouse/plugin-api/html";
import { contextOf, queryPairs, textOfBytes } from "rowhouse/plugin-api/http";
import { currentMetadata, pageMetadata } from "rowhouse/plugin-api/metadata";
import { translatorOf } from "./language/texts.js";
import { describe, teaserOf, text } from "./metadata-block.js";
import { chipsOf, descriptionOf, emptyOffers, positionText } from "./narrowing.js";
import { columnsForm } from "./columns-form.js";
import { facetContext } from "./facets.js";
import { filterForm, formPair } from "./filter-form.js";
import { changed, formatArgument, formatLinks, otherFormats } from "./links.js";
import type { PageModel } from "./page-model.js";
import { rowTablePieces, visibleName } from "./row-table.js";
import { tableRows } from "./table-rows.js";

/** The page of a table or view: its rows, and the controls that filter, sort and export them. */
export async function tablePage(page: Page, visit: Visit): Promise<PageModel> {
  const { rowhouse } = visit;
  const facts = contextOf<"table">(page);
  const database = facts.database.name;
  const table = facts.table.name;
  const instance = currentMetadata(rowhouse).document;
  const reader = translatorOf(visit);
  const { t } = reader;
  const facets = await facetContext(page, visit, reader);
  const classes = [cssClass(database), cssClass(table)] as const;
  const shown = (page.rows?.cells ?? []).length;
  const chips = await chipsOf(page, visit, facts, t);
  const filterText = descriptionOf(facts, chips, reader);
  const { actions, top } = await actionsOf(visit, facts);
  const isNarrowed = chips.length > 0 || visit.request.query.has("_through");
  const description = describe(pageMetadata(facts.metadata, instance), t);
  const form = filterForm(visit, facts, t);
  return {
    templates: [`table-${classes.join("-")}.html`, "table.html"],
    context: {
      heading: text(facts.metadata["title"]) ?? visibleName(table),
      is_translated: true,
      page_title: pageTitle(facts, filterText, t),
      summary: summaryOf(facts, { shown, filterText }, t),
      summary_is_count: facts.humanDescription === "",
      chips,
      position: positionText(facts, shown, reader),
      is_counting: facts.countIsPending,
      is_narrowed: isNarrowed,
      empty_offers: emptyOffers(visit, { isNarrowed, actions }, t),
      description,
      teaser: teaserOf(description.description),
      about_columns: t("table.about_columns", { count: described(facts).length }),
      column_descriptions: described(facts),
      ...form,
      ...columnsForm(visit, facts),
      edit_sql_url: editSqlUrl(rowhouse, facts),
      ...facets,
      ...exportsOf(page, visit, t),
      actions,
      top,
      // The newer names come first. This order is published.
      row_template: rowTemplate(classes, "table"),
      body_class: `table db-${classes[0]} table-${classes[1]}`,
    },
    lists: [
      { name: "facet_boxes", template: "_facet.html", items: facets.facets },
      { name: "chip_items", template: "_chip.html", items: chips },
      { name: "filter_fields", template: "_filter-row.html", items: form.filter_rows },
    ],
    rows: { table: await tableRows(page, visit), pieces: rowTablePieces },
    options: { database, table, columns: facts.columns.map(({ name }) => name), trail: { database } },
  };
}

const described = ({ columns }: TableContext) => columns.filter(({ description }) => description !== null);

/** Templates that may lay out the rows, most specific first. */
export const rowTemplate = (
  [database, table]: readonly [string, string],
  place: "table" | "row",
): readonly string[] => [
  `_table-${database}-${table}.html`,
  `_table-${place}-${database}-${table}.html`,
  "_table.html",
];

function pageTitle({ database, table, count }: TableContext, filterText: string, t: Translator["t"]): string {
  const rows = count === null ? "" : t("home.rows", { count });
  const found = [rows, filterText].filter((part) => part !== "").join(" ");
  return [database.name, table.name, found].filter((part) => part !== "").join(": ");
}

/** `3 rows where price > 5 sorted by name`; null if there is no such description. */
function summaryOf(
  { count, nextUrl }: TableContext,
  { shown, filterText }: { readonly shown: number; readonly filterText: string },
  t: Translator["t"],
): string | null {
  if (count === null) {
    const atLeast =
      nextUrl === null ? t("home.rows", { count: shown }) : t("table.more_than", { count: shown });
    return `${atLeast} ${filterText}`.trim();
  }
  if (count === 0 && filterText === "") return null;
  return `${t("home.rows", { count })} ${filterText}`.trim();
}

function editSqlUrl(rowhouse: Rowhouse, facts: TableContext): string | null {
  if (!facts.allowExecuteSql) return null;
  const params = Object.entries(facts.query.params).map(
    ([name, value]) => [name, value instanceof Uint8Array ? textOfBytes(value) : String(value)] as const,
  );
  return withQuery(rowhouse.urls.database(facts.database.name), [["sql", facts.query.sql], ...params]);
}

const NOT_IN_CSV_FORM = new Set(["_labels", "_facet", "_size", "_format"]);

/** The links and the form for the export of the rows. */
function exportsOf(page: Page, { rowhouse, request }: Visit, t: Translator["t"]) {
  const facts = contextOf<"table">(page);
  const expandable = facts.expandable.length > 0;
  const labels = expandable ? [["_labels", "on"] as const] : [];
  const linkTo = formatLinks(rowhouse, request);
  const json = (...extra: readonly (readonly [string, string])[]): string => linkTo("json", extra);
  return {
    export_json: json(...labels),
    export_csv: linkTo("csv", [...labels, ["_size", "max"]]),
    fewer_rows_url: (rows: number): string =>
      changed(rowhouse, request, ["_size"], [["_size", String(rows)]]),
    export_formats: otherFormats(rowhouse, page, linkTo),
    json_shapes: [
      { label: t("table.shape_default"), href: json() },
      { label: t("table.shape_array"), href: json(["_shape", "array"]) },
      { label: t("table.shape_lines"), href: json(["_shape", "array"], ["_nl", "on"]) },
      ...(facts.table.primaryKeys.length > 0
        ? [{ label: t("table.shape_object"), href: json(["_shape", "object"]) }]
        : []),
    ],
    csv_form: {
      action: linkTo("csv").split("?", 1)[0],
      expandable,
      streamable: facts.nextUrl !== null && rowhouse.settings.get("allow_csv_stream")?.value === true,
      hidden: [
        ...queryPairs(request)
          .filter(([name]) => !NOT_IN_CSV_FORM.has(name))
          .map(formPair),
        ...formatArgument(request, "csv"),
        ["_size", "max"] as const,
      ],
    },
  };
}

async function actionsOf({ rowhouse, request, actor }: Visit, facts: TableContext) {
  const database = facts.database.name;
  const name = facts.table.name;
  const scope = { request, actor, database, table: name };
  const actions = facts.isView
    ? await rowhouse.hooks.view_actions.promise([], rowhouse, { request, actor, database, view: name })
    : await rowhouse.hooks.table_actions.promise([], rowhouse, scope);
  const top = await rowhouse.hooks.top_table.promise([], rowhouse, scope);
  return { actions, top };
}
