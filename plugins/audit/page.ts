import { html, jsonText, pageReply, reply, type Html, type Reply, type Visit } from "rowhouse/plugin-api";
import { RawJson } from "rowhouse/plugin-api/json";
import type { AuditLog } from "./log.js";
import { FILTERS, readQuestion, type Entry } from "./entries.js";

/** What was changed, newest first: as a page, or as JSON at `/-/audit.json`. @throws BadRequest */
export async function auditPage(log: AuditLog, visit: Visit<"instance">): Promise<Reply> {
  const { request, format } = visit;
  const question = readQuestion(request);
  const found = await log.entries(question);
  const entries = found.slice(0, question.size);
  const next = found.length > entries.length ? String(entries.at(-1)?.id) : null;
  if (format !== "html") return reply.json(documentText(visit, entries, next));
  return pageReply(visit, {
    template: "audit.html",
    title: "Log of changes",
    content: markup(visit, entries, next),
    context: { entries, next },
  });
}

function documentText(visit: Visit, entries: readonly Entry[], next: string | null): string {
  const { rowhouse, request } = visit;
  return jsonText({
    ok: true,
    entries: entries.map(({ actor, details, ...entry }) => ({
      ...entry,
      actor: actor === null ? null : new RawJson(actor),
      details: new RawJson(details),
    })),
    next,
    next_url: next === null ? null : rowhouse.urls.absolute(request, nextPath(visit, next)),
  });
}

function nextPath({ rowhouse, request, format }: Visit, next: string): string {
  const query = new URLSearchParams();
  for (const name of [...Object.keys(FILTERS), "_size"]) {
    const value = request.query.get(name);
    if (value !== null) query.set(name, value);
  }
  query.set("_next", next);
  return `${rowhouse.urls.path(`/-/audit${format === "html" ? "" : `.${format}`}`)}?${query.toString()}`;
}

const markup = (visit: Visit, entries: readonly Entry[], next: string | null): Html => html`
  <h1>Log of changes</h1>
  <form class="panel" action="${visit.rowhouse.urls.path("/-/audit")}" method="get">
    ${Object.keys(FILTERS).map((name) => filterField(name, visit.request.query.get(name) ?? ""))}
    <p class="buttons"><button type="submit">Show</button></p>
  </form>
  <div class="table-wrapper">
    <table class="rows-and-columns">
      <thead>
        <tr>
          ${HEADINGS.map((heading) => html`<th scope="col">${heading}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${entries.map((entry) => rowMarkup(visit, entry))}
      </tbody>
    </table>
  </div>
  ${entries.length === 0 && html`<p>Nothing was changed.</p>`}
  ${next !== null && html`<p><a rel="next" href="${nextPath(visit, next)}">Older changes</a></p>`}
`;

const HEADINGS = ["When", "What", "Who", "Where", "Rows", "Details"];

const filterField = (name: string, value: string): Html => html`
  <p>
    <label for="audit-${name}">${name}</label>
    <input id="audit-${name}" name="${name}" value="${value}" autocomplete="off" />
  </p>
`;

const rowMarkup = (visit: Visit, entry: Entry): Html => html`
  <tr>
    <td><time datetime="${entry.created}">${entry.created}</time></td>
    <td>${entry.event}</td>
    <td>${entry.actor === null ? "anonymous" : html`<code>${entry.actor}</code>`}</td>
    <td>${placeMarkup(visit, entry)}</td>
    <td>${entry.num_rows === null ? "" : String(entry.num_rows)}</td>
    <td>${entry.details === "{}" ? "" : html`<code>${entry.details}</code>`}</td>
  </tr>
`;

function placeMarkup({ rowhouse }: Visit, { database, table }: Entry): Html | string {
  if (database === null) return "";
  if (table === null) return html`<a href="${rowhouse.urls.database(database)}">${database}</a>`;
  return html`<a href="${rowhouse.urls.table(database, table)}">${database}/${table}</a>`;
}
