import { actorName, html, isObject, type Html, type Visit } from "rowhouse/plugin-api";
import { RANGE, type Entry } from "./entries.js";

export interface AuditPage {
  readonly entries: readonly Entry[];
  /** The page of older changes; null on the last one. */
  readonly nextUrl: string | null;
  /** The filters, each with its values in the log. */
  readonly values: readonly (readonly [name: string, values: readonly string[]])[];
}

/** The log with a form that narrows it. */
export const pageMarkup = (visit: Visit, { entries, nextUrl, values }: AuditPage): Html => html`
  <div class="page-heading"><h1>Log of changes</h1></div>
  ${filterForm(visit, values)}
  ${
    entries.length === 0
      ? html`<p class="empty">
          <strong
            >${isNarrowed(visit, values) ? "No change fits the filters." : "Nothing was changed so far."}</strong
          >
        </p>`
      : html`<div class="table-wrapper" tabindex="0" role="region" aria-label="Changes">
          <table class="listing audit">
            <thead>
              <tr>
                ${HEADINGS.map((heading) => html`<th scope="col">${heading}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${entries.map((entry) => rowMarkup(visit, entry))}
            </tbody>
          </table>
        </div>`
  }
  <p class="buttons">
    ${visit.request.query.has("_next") && html`<a class="button quiet" href="${newestPath(visit)}">Newest changes</a>`}
    ${nextUrl !== null && html`<a class="button quiet" rel="next" href="${nextUrl}">Older changes</a>`}
  </p>
`;

const HEADINGS = ["When", "What", "Who", "Where", "Rows", "Details"];

const ownPath = ({ rowhouse }: Visit): string => rowhouse.urls.path("/-/audit");

function newestPath(visit: Visit): string {
  const query = new URLSearchParams(visit.request.query);
  query.delete("_next");
  return query.size === 0 ? ownPath(visit) : `${ownPath(visit)}?${query.toString()}`;
}

const isNarrowed = ({ request }: Visit, values: AuditPage["values"]): boolean =>
  [...values.map(([name]) => name), ...RANGE].some((name) => (request.query.get(name) ?? "") !== "");

function filterForm(visit: Visit, values: AuditPage["values"]): Html {
  const given = (name: string): string => visit.request.query.get(name) ?? "";
  return html`<details class="fold" ${isNarrowed(visit, values) && html`open`}>
    <summary>Filters</summary>
    <form class="panel filter-form" action="${ownPath(visit)}" method="get" role="search">
      ${values.map(([name, known]) => menu(name, known, given(name)))}
      ${dayField("since", "From", given("since"))} ${dayField("until", "To", given("until"))}
      <p class="field">
        <label for="audit-q">Details contain</label>
        <input id="audit-q" type="search" name="q" value="${given("q")}" dir="auto" />
      </p>
      <p class="buttons">
        <button type="submit">Show</button>
        ${isNarrowed(visit, values) && html`<a href="${ownPath(visit)}">Show all</a>`}
      </p>
    </form>
  </details>`;
}

const LABELS: Readonly<Record<string, string>> = {
  event: "What",
  actor: "Who",
  database: "Database",
  table: "Table",
};

function menu(name: string, known: readonly string[], chosen: string): Html {
  const values = chosen === "" || known.includes(chosen) ? known : [chosen, ...known];
  return html`<p class="field">
    <label for="audit-${name}">${LABELS[name] ?? name}</label>
    <select id="audit-${name}" name="${name}">
      <option value="">any</option>
      ${values.map((value) => html`<option value="${value}" ${value === chosen && html`selected`}>${value}</option>`)}
    </select>
  </p>`;
}

const dayField = (name: string, label: string, value: string): Html => html`
  <p class="field">
    <label for="audit-${name}">${label}</label>
    <input id="audit-${name}" type="${/T/.test(value) ? "text" : "date"}" name="${name}" value="${value}" />
  </p>
`;

const rowMarkup = (visit: Visit, entry: Entry): Html => html`
  <tr id="entry-${entry.id}">
    <td><time datetime="${entry.created}" title="${entry.created}">${shownTime(entry.created)}</time></td>
    <td>${entry.event}</td>
    <td dir="auto">${actorMarkup(entry)}</td>
    <td dir="auto">${placeMarkup(visit, entry)}</td>
    <td class="number">${entry.num_rows === null ? "" : entry.num_rows.toLocaleString("en")}</td>
    <td>${detailsMarkup(entry)}</td>
  </tr>
`;

/** `2026-01-31 12:00:00 UTC` */
const shownTime = (created: string): string => `${created.slice(0, 19).replace("T", " ")} UTC`;

function actorMarkup({ actor }: Entry): Html | string {
  const value: unknown = actor === null ? null : JSON.parse(actor);
  if (!isObject(value)) return html`<span class="figures">anonymous</span>`;
  return html`<span title="${actor}">${actorName(value)}</span>`;
}

function placeMarkup({ rowhouse }: Visit, { database, table }: Entry): Html | string {
  if (database === null) return "";
  if (table === null) return html`<a href="${rowhouse.urls.database(database)}">${database}</a>`;
  return html`<a href="${rowhouse.urls.table(database, table)}">${database}/${table}</a>`;
}

/** The facts of a change, a line for each, without those that are empty. */
function detailsMarkup({ details }: Entry): Html | string {
  const value: unknown = JSON.parse(details);
  const facts = Object.entries(isObject(value) ? value : {}).filter(([, fact]) => !isEmpty(fact));
  if (facts.length === 0) return "";
  return html`<ul class="plain-list">
    ${facts.map(
      ([name, fact]) =>
        html`<li><span class="figures">${name}</span> <code dir="auto">${factText(fact)}</code></li>`,
    )}
  </ul>`;
}

const isEmpty = (fact: unknown): boolean =>
  fact === null || fact === false || (typeof fact === "object" && Object.keys(fact).length === 0);

const factText = (fact: unknown): string => (typeof fact === "string" ? fact : JSON.stringify(fact));
