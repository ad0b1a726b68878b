import { html, pageReply, type Html, type Page, type Reply, type Visit } from "rowhouse/plugin-api";
import { diagramOf, MOST_TABLES } from "./diagram.js";
import type { Diagram, DiagramColumn, DiagramTable } from "./diagram.js";

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
    title: `Diagram of ${name}`,
    content: markup(name, diagram),
    context: { ...diagram },
    database: name,
  });
}

const markup = (database: string, { tables, truncated }: Diagram): Html => html`
  <div class="page-heading"><h1 dir="auto">Diagram of ${database}</h1></div>
  ${truncated && html`<p class="figures">The first ${MOST_TABLES} tables; those with foreign keys come first.</p>`}
  ${
    tables.length === 0
      ? html`<p class="empty">There are no tables here that you may see.</p>`
      : html`<div class="diagram-buttons"></div>
          <div class="diagram" tabindex="0" role="region" aria-label="Tables and their references">
            <div class="diagram-canvas">${tables.map(tableMarkup)}</div>
          </div>`
  }
`;

const tableMarkup = (table: DiagramTable): Html => html`
  <section class="diagram-table" data-table="${table.name}">
    <h2><a href="${table.path}" dir="auto">${table.name}</a></h2>
    <ul>
      ${shownColumns(table).map((column) => columnMarkup(table, column))}
    </ul>
    ${moreMarkup(table)}
  </section>
`;

/** The first columns, and those that lines begin and end at. */
function shownColumns({ columns, foreign_keys: keys }: DiagramTable): readonly DiagramColumn[] {
  const isKey = ({ name, primary_key }: DiagramColumn): boolean =>
    primary_key || keys.some((key) => key.columns.includes(name));
  return columns.filter((column, index) => index < MOST_COLUMNS || isKey(column));
}

function moreMarkup(table: DiagramTable): Html | null {
  const more = table.columns.length - shownColumns(table).length;
  return more === 0 ? null : html`<p class="diagram-more">and ${more} more columns</p>`;
}

function columnMarkup(table: DiagramTable, { name, type, primary_key: isKey }: DiagramColumn): Html {
  const references = table.foreign_keys.filter(({ columns }) => columns.includes(name));
  return html`<li data-column="${name}">
    <span class="diagram-name" dir="auto"
      >${isKey ? html`<strong title="Primary key">${name}</strong>` : name}</span
    >
    <span class="diagram-type">${type.toLowerCase()}</span>
    ${references.map((key) => {
      const other = key.other_columns[key.columns.indexOf(name)] ?? "";
      return html`<span
        class="diagram-reference"
        data-other-table="${key.other_table}"
        data-other-column="${other}"
        >refers to ${key.other_table}.${other}</span
      >`;
    })}
  </li>`;
}
