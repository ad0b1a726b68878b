import { html, type Html, type Request } from "rowhouse/plugin-api";
import { TimeSlices } from "rowhouse/plugin-api/http";
import { escapeHtml } from "rowhouse/plugin-api/html";
import type { OpenApi, Operation } from "./openapi.js";

interface Shown {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** A page with more operations would be tens of megabytes. */
const MOST_OPERATIONS = 10_000;

/** The description as a page: the operations by database, in pieces. */
export function* markupPieces(
  document: OpenApi,
  byTag: ReadonlyMap<string, readonly Shown[]>,
  links: { readonly json: string; readonly base: string },
): Generator<string> {
  yield html`
    <div class="page-heading"><h1>API of this site</h1></div>
    <p class="lead">
      The requests that you may send to this server. Programs that generate clients read the same as
      <a href="${links.json}">OpenAPI 3.1</a>.
    </p>
  `.markup;
  let room = MOST_OPERATIONS;
  let omitted = 0;
  for (const { name, description = name } of document.tags) {
    const all = byTag.get(name) ?? [];
    const shown = all.slice(0, room);
    room -= shown.length;
    omitted += all.length - shown.length;
    if (shown.length === 0) continue;
    yield sectionHead(description);
    for (const one of shown) yield line(one, links.base).markup;
    yield "</tbody>\n</table>\n</div>\n</section>\n";
  }
  if (omitted > 0) yield omittedNote(omitted, links.json).markup;
}

const omittedNote = (count: number, json: string): Html =>
  html`<p class="hint">
    ${count.toLocaleString("en")} more operations are in the <a href="${json}">OpenAPI document</a>.
  </p>`;

/** Tens of thousands of operations: they are sorted in slices. */
export async function operationsByTag(
  document: OpenApi,
  request: Request,
): Promise<ReadonlyMap<string, readonly Shown[]>> {
  const slices = new TimeSlices(request);
  const byTag = new Map<string, Shown[]>(document.tags.map(({ name }) => [name, []]));
  for (const [path, item] of document.paths) {
    for (const [method, operation] of Object.entries(item)) {
      for (const tag of operation.tags) byTag.get(tag)?.push({ path, method, operation });
    }
    if (slices.isOver) await slices.next();
  }
  return byTag;
}

function sectionHead(description: string): string {
  const label = escapeHtml(description);
  return `<section>
<h2>${label}</h2>
<div class="table-wrapper" tabindex="0" role="region" aria-label="${label}">
<table class="listing">
<thead><tr><th scope="col">Request</th><th scope="col">What it is for</th></tr></thead>
<tbody>
`;
}

function line({ path, method, operation }: Shown, base: string): Html {
  const isLink = method === "get" && !path.includes("{");
  return html`<tr id="${operation.operationId}">
    <td>
      <span class="verb verb-${method}">${method.toUpperCase()}</span>
      ${isLink ? html`<a href="${base}${path}"><code>${path}</code></a>` : html`<code>${path}</code>`}
    </td>
    <td>${operation.summary}${details(operation)}</td>
  </tr>`;
}

/** Parameters of this operation only. Shared ones are described once, in the document. */
function details({ parameters = [] }: Operation): Html | null {
  const own = parameters.flatMap((parameter) => ("name" in parameter ? [parameter] : []));
  if (own.length === 0) return null;
  return html`<details>
    <summary>Arguments of its own</summary>
    <ul>
      ${own.map(({ name, description }) => html`<li><code>${name}</code> ${description ?? ""}</li>`)}
    </ul>
  </details>`;
}
