import { html } from "rowhouse/plugin-api";
import type { Html } from "rowhouse/plugin-api";
import type { OpenApi, Operation } from "./openapi.js";

interface Shown {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

/** The description as a page: all operations by database. */
export function documentMarkup(
  document: OpenApi,
  links: { readonly json: string; readonly base: string },
): Html {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Shown => ({ path, method, operation })),
  );
  return html`
    <div class="page-heading"><h1>API of this site</h1></div>
    <p class="lead">
      What you may ask of this server, as <a href="${links.json}">OpenAPI 3.1</a> for programs that make
      clients.
    </p>
    ${document.tags.map(({ name, description }) =>
      section({ name, description: description ?? name }, operations, links.base),
    )}
  `;
}

interface Tag {
  readonly name: string;
  readonly description: string;
}

function section({ name, description }: Tag, operations: readonly Shown[], base: string): Html {
  const own = operations.filter(({ operation }) => operation.tags.includes(name));
  return html`
    <section>
      <h2>${description}</h2>
      <div class="table-wrapper" tabindex="0" role="region" aria-label="${description}">
        <table class="rows-and-columns">
          <thead>
            <tr>
              <th scope="col">Method</th>
              <th scope="col">Path</th>
              <th scope="col">What it is for</th>
            </tr>
          </thead>
          <tbody>
            ${own.map((shown) => line(shown, base))}
          </tbody>
        </table>
      </div>
    </section>
  `;
}

function line({ path, method, operation }: Shown, base: string): Html {
  const isLink = method === "get" && !path.includes("{");
  return html`<tr id="${operation.operationId}">
    <td>${method.toUpperCase()}</td>
    <td>${isLink ? html`<a href="${base}${path}"><code>${path}</code></a>` : html`<code>${path}</code>`}</td>
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
