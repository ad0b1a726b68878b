import {
  jsonText,
  raw,
  reply,
  type Html,
  type Page,
  type Renderer,
  type Reply,
  type Request,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import type { Translator } from "rowhouse/plugin-api/html";
import { joinedInSlices, linkHeader, TimeSlices, type Wants } from "rowhouse/plugin-api/http";
import { databasePage } from "./database-page.js";
import { rowTableContext } from "./display-rows.js";
import { indexPage } from "./index-page.js";
import { formatLinks } from "./links.js";
import { queryPage } from "./query-page.js";
import { rowPage } from "./row-page.js";
import type { LongList, PageBuilder, PageModel } from "./page-model.js";
import type { Site } from "./site.js";
import { tableLimits } from "./table-limits.js";
import { tablePage } from "./table-page.js";
import type { Templates } from "./templates.js";

const BUILDERS: ReadonlyMap<string, PageBuilder> = new Map(
  Object.entries({
    index: indexPage,
    database: databasePage,
    table: tablePage,
    row: rowPage,
    query: queryPage,
  }),
);

const HTML_WANTS: Wants = {
  rows: "cells",
  infinity: "words",
  parts: new Set(["count", "facets", "suggestions", "labels", "foreign_key_tables", "position"]),
  labels: true,
  stream: false,
  // People correct the statement in the page.
  failures: "all",
};

/** The renderer of requests without an extension. */
export const htmlRenderer = (site: Site, rowhouse: Rowhouse): Renderer => ({
  extension: "html",
  wants: () => ({
    ...HTML_WANTS,
    // A plugin may show the bytes.
    ...(!rowhouse.hooks.render_cell.isUsed() && { longBlobs: "typed" }),
    maxCells: tableLimits(rowhouse).cells,
  }),
  render: (page, visit) => renderPage(site, page, visit),
});

const BUNDLED_ROWS = "_table.html";

/** True if a custom template lays out the rows of this page. */
const hasOwnLayout = ({ templates }: Site, { context }: PageModel): boolean =>
  templates.choose(context["row_template"] as readonly string[]) !== BUNDLED_ROWS;

async function listMarkup(site: Site, { context, lists = [] }: PageModel, request: Request) {
  const { t } = site.languageOf(context, request);
  const markup: Record<string, Html> = {};
  for (const list of lists) {
    // Templates escape what they print.
    markup[list.name] = raw(await joinedInSlices(itemPieces(site.templates, t, list), request));
  }
  return markup;
}

function* itemPieces(
  templates: Templates,
  t: Translator["t"],
  { template, items }: LongList,
): Generator<string> {
  for (const item of items) yield templates.render(template, { t, ...item });
}

async function renderPage(site: Site, page: Page, visit: Visit): Promise<Reply> {
  const { rowhouse, request, actor } = visit;
  const slices = new TimeSlices(request);
  const build = BUILDERS.get(page.name) ?? genericPage;
  const model = await build(page, visit);
  await slices.nextIfOver();
  const json = formatLinks(rowhouse, request)("json");
  const alternate = rowhouse.urls.absolute(request, json);
  const context = {
    private: visit.private,
    // The keys of the index are names of databases, which could be those of variables in templates.
    ...(page.name !== "index" && page.data),
    ...page.context,
    alternate_url_json: alternate,
    export_json: json,
    ...model.context,
    ...(await listMarkup(site, model, request)),
    ...(model.rows !== undefined &&
      (await rowTableContext(model.rows, request, {
        isCustom: hasOwnLayout(site, model),
        t: site.languageOf(model.context, request).t,
      }))),
  };
  await slices.nextIfOver();
  const rendered = await site.render(model.templates, context, {
    viewName: page.name,
    ...model.options,
    request,
    actor,
    status: page.status ?? 200,
  });
  return reply.withHeaders(rendered, {
    ...linkHeader(`${alternate}; rel="alternate"; type="application/json+rowhouse"`),
    ...page.headers,
  });
}

/**
 * A page of another plugin: its template if it exists, otherwise its document as JSON. A plugin without types may leave
 * the name out. The title is then that of the JSON document.
 */
function genericPage(
  { name, ...page }: Omit<Page, "name"> & Partial<Pick<Page, "name">>,
  visit: Visit,
): PageModel {
  const shownName = name ?? visit.request.path.split("/").at(-1);
  return {
    templates: [...(name === undefined ? [] : [`${name}.html`]), "json_data.html"],
    context: {
      fileName: page.context?.["fileName"] ?? `${shownName}.json`,
      text: page.context?.["text"] ?? indented(page.data),
      body_class: page.context?.["body_class"] ?? "show-json",
    },
    options: { trail: { database: databaseOf(visit) } },
  };
}

const indented = (value: unknown): string => JSON.stringify(JSON.parse(jsonText(value)), null, 4);

const databaseOf = ({ target }: Visit): string | undefined =>
  "database" in target ? target.database.name : undefined;
