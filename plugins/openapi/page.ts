import { html, type Html } from "rowhouse/plugin-api";
import { escapeHtml } from "rowhouse/plugin-api/html";
import type { Operation } from "rowhouse/plugin-api/openapi";
import type { OpenApi } from "./document.js";

interface Shown {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

interface PageFacts {
  readonly title: string;
  /** The address of the document. */
  readonly json: string;
  /** The path before those of the document. */
  readonly base: string;
}

/** The description as a page, in pieces: the operations in sections, which are their tags. */
export function* markupPieces(
  { paths, tags, info }: OpenApi,
  { title, json, base }: PageFacts,
): Generator<string> {
  yield html`
    <div class="page-heading"><h1>${title}</h1></div>
    <p class="lead">
      The requests that you may send to this server. Programs that generate clients read the same as
      <a href="${json}">OpenAPI 3.1</a>.
    </p>
    ${info.description !== undefined && html`<p>${info.description}</p>`}
  `.markup;
  const descriptions = new Map(tags.map(({ name, description = name }) => [name, description]));
  let section: string | null = null;
  for (const { tag, ...shown } of operationsOf(paths)) {
    if (tag !== section)
      yield (section === null ? "" : SECTION_END) + sectionHead(descriptions.get(tag) ?? tag);
    section = tag;
    yield line(shown, base).markup;
  }
  if (section !== null) yield SECTION_END;
}

/** The operations in the order of the document, in which those of a tag follow each other. */
function* operationsOf(paths: OpenApi["paths"]): Generator<Shown & { readonly tag: string }> {
  for (const [path, item] of paths) {
    for (const [method, operation] of Object.entries(item)) {
      yield { path, method, operation, tag: operation.tags[0] ?? "" };
    }
  }
}

const SECTION_END = "</tbody>\n</table>\n</div>\n</section>\n";

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
