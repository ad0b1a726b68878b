import { html, pageReply, type Html, type Page, type Reply, type Visit } from "rowhouse/plugin-api";
import { diagramOf, MOST_TABLES, type Diagram, type DiagramColumn, type DiagramTable } from "./diagram.js";
import type { Translator } from "rowhouse/plugin-api/html";
import { tOf } from "./texts.js";

/** Columns of a table on the page. The JSON document has all. */
const MOST_COLUMNS = 20;

/** The diagram of a database as JSON, or as a page whose script draws the lines. Without scripts it is a list of tables. */
export async function diagramView(visit: Visit<"database">): Promise<Page | Reply> {
  const { rowhouse, actor, target, format } = visit;
  const { name } = target.database;
  const diagram = await diagramOf(rowhouse, actor, target.database);
  if (format !== "html")
    return { name: "diagram", data: { ok: true, database: name, ...diagram }, plain: true };
  return pageReply(visit, {
    template: "diagram.html",
    title: tOf(visit)("diagram.title", { database: name }),
    content: markup(name, diagram, tOf(visit)),
    context: { ...diagram, is_translated: true },
    database: name,
  });
}

const markup = (database: string, { tables, truncated }: Diagram, t: Translator["t"]): Html => html`
  <div class="page-heading"><h1 dir="auto">${t("diagram.title", { database })}</h1></div>
  ${truncated && html`<p class="figures">${t("diagram.first", { count: String(MOST_TABLES) })}</p>`}
  ${
    tables.length === 0
      ? html`<p class="empty">${t("diagram.nothing")}</p>`
      : html`<div class="diagram-buttons"></div>
          <div class="diagram" tabindex="0" role="region" aria-label="${t("diagram.region")}">
            <div class="diagram-canvas">${tables.map((table) => tableMarkup(table, t))}</div>
          </div>`
  }
`;

const tableMarkup = (table: DiagramTable, t: Translator["t"]): Html => html`
  <section class="diagram-table" data-table="${table.name}">
    <h2><a href="${table.path}" dir="auto">${table.name}</a></h2>
    <ul>
      ${shownColumns(table).map((column) => columnMarkup(table, column, t))}
    </ul>
    ${moreMarkup(table, t)}
  </section>
`;

/** The first columns, and those that lines begin and end at. */
function shownColumns({ columns, foreign_keys: keys }: DiagramTable): readonly DiagramColumn[] {
  const isKey = ({ name, primary_key }: DiagramColumn): boolean =>
    primary_key || keys.some((key) => key.columns.includes(name));
  return columns.filter((column, index) => index < MOST_COLUMNS || isKey(column));
}

function moreMarkup(table: DiagramTable, t: Translator["t"]): Html | null {
  const more = table.columns.length - shownColumns(table).length;
  return more === 0 ? null : html`<p class="diagram-more">${t("diagram.more", { count: String(more) })}</p>`;
}

function columnMarkup(
  table: DiagramTable,
  { name, type, primary_key: isKey }: DiagramColumn,
  t: Translator["t"],
): Html {
  const references = table.foreign_keys.filter(({ columns }) => columns.includes(name));
  return html`<li data-column="${name}">
    <span class="diagram-name" dir="auto"
      >${isKey ? html`<strong title="${t("diagram.key")}">${name}</strong>` : name}</span
    >
    <span class="diagram-type">${type.toLowerCase()}</span>
    ${references.map((key) => {
      const other = key.other_columns[key.columns.indexOf(name)] ?? "";
      return html`<span
        class="diagram-reference"
        data-other-table="${key.other_table}"
        data-other-column="${other}"
        >${t("diagram.refers", { column: `${key.other_table}.${other}` })}</span
      >`;
    })}
  </li>`;
}
