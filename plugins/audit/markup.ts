import { actorName, html, isObject, type Html, type Visit } from "rowhouse/plugin-api";
import { listing, type ListingRow, type Translator } from "rowhouse/plugin-api/html";
import { RANGE, type Entry } from "./entries.js";
import { translatorOf, tOf, type AuditText } from "./texts.js";

export interface AuditPage {
  readonly entries: readonly Entry[];
  /** The page of older changes; null on the last one. */
  readonly nextUrl: string | null;
  /** The filters, each with its values in the log. */
  readonly values: readonly (readonly [name: string, values: readonly string[]])[];
}

/** The log with a form that narrows it. */
export function pageMarkup(visit: Visit, { entries, nextUrl, values }: AuditPage): Html {
  const t = tOf(visit);
  const nothing = isNarrowed(visit, values) ? t("audit.none_fits") : t("audit.nothing");
  return html`
    <div class="page-heading"><h1>${t("audit.link")}</h1></div>
    ${filterForm(visit, values)}
    ${entries.length === 0 ? html`<p class="empty"><strong>${nothing}</strong></p>` : entriesTable(visit, entries)}
    <p class="buttons">
      ${
        visit.request.query.has("_next") &&
        html`<a class="button quiet" href="${newestPath(visit)}">${t("audit.newest")}</a>`
      }
      ${nextUrl !== null && html`<a class="button quiet" rel="next" href="${nextUrl}">${t("audit.older")}</a>`}
    </p>
  `;
}

function entriesTable(visit: Visit, entries: readonly Entry[]): Html {
  const reader = translatorOf(visit);
  const headings = HEADINGS.map((heading) => reader.t(heading));
  return listing(
    reader.t("audit.changes"),
    headings,
    entries.map((entry) => entryRow(visit, entry, reader)),
  );
}

const HEADINGS: readonly AuditText[] = [
  "audit.when",
  "audit.what",
  "audit.who",
  "audit.where",
  "audit.rows",
  "audit.details",
];

const ownPath = ({ rowhouse }: Visit): string => rowhouse.urls.path("/-/audit");

function newestPath(visit: Visit): string {
  const query = new URLSearchParams(visit.request.query);
  query.delete("_next");
  return query.size === 0 ? ownPath(visit) : `${ownPath(visit)}?${query.toString()}`;
}

const isNarrowed = ({ request }: Visit, values: AuditPage["values"]): boolean =>
  [...values.map(([name]) => name), ...RANGE].some((name) => (request.query.get(name) ?? "") !== "");

function filterForm(visit: Visit, values: AuditPage["values"]): Html {
  const t = tOf(visit);
  const given = (name: string): string => visit.request.query.get(name) ?? "";
  return html`<details class="fold" ${isNarrowed(visit, values) && html`open`}>
    <summary>${t("audit.filters")}</summary>
    <form class="panel filter-form" action="${ownPath(visit)}" method="get" role="search">
      ${values.map(([name, known]) => menu(t, { name, known, chosen: given(name) }))}
      ${dayField("since", t("audit.from"), given("since"))}
      ${dayField("until", t("audit.to"), given("until"))}
      <p class="field">
        <label for="audit-q">${t("audit.details_contain")}</label>
        <input id="audit-q" type="search" name="q" value="${given("q")}" dir="auto" />
      </p>
      <p class="buttons">
        <button type="submit">${t("audit.show")}</button>
        ${isNarrowed(visit, values) && html`<a href="${ownPath(visit)}">${t("audit.show_all")}</a>`}
      </p>
    </form>
  </details>`;
}

const LABELS: Readonly<Record<string, AuditText>> = {
  event: "audit.what",
  actor: "audit.who",
  database: "audit.database",
  table: "audit.table",
};

interface Menu {
  readonly name: string;
  /** The values in the log. */
  readonly known: readonly string[];
  readonly chosen: string;
}

function menu(t: Translator["t"], { name, known, chosen }: Menu): Html {
  const values = chosen === "" || known.includes(chosen) ? known : [chosen, ...known];
  const label = LABELS[name];
  return html`<p class="field">
    <label for="audit-${name}">${label === undefined ? name : t(label)}</label>
    <select id="audit-${name}" name="${name}">
      <option value="">${t("audit.any")}</option>
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

const entryRow = (visit: Visit, entry: Entry, { t, number }: Translator): ListingRow => ({
  id: `entry-${entry.id}`,
  cells: [
    html`<time datetime="${entry.created}" title="${entry.created}">${shownTime(entry.created)}</time>`,
    html`<span class="event">${entry.event}</span>`,
    actorMarkup(t, entry),
    placeMarkup(visit, entry),
    entry.num_rows === null ? "" : number(entry.num_rows),
    detailsMarkup(entry),
  ],
});

/** `2026-01-31 12:00:00 UTC` */
const shownTime = (created: string): string => `${created.slice(0, 19).replace("T", " ")} UTC`;

function actorMarkup(t: Translator["t"], { actor }: Entry): Html | string {
  const value: unknown = actor === null ? null : JSON.parse(actor);
  if (!isObject(value)) return html`<span class="figures">${t("audit.anonymous")}</span>`;
  return html`<span title="${actor}" dir="auto">${actorName(value)}</span>`;
}

function placeMarkup({ rowhouse: { urls } }: Visit, { database, table }: Entry): Html | string {
  if (database === null) return "";
  const [href, name] =
    table === null
      ? [urls.database(database), database]
      : [urls.table(database, table), `${database}/${table}`];
  return html`<span dir="auto"><a href="${href}">${name}</a></span>`;
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
