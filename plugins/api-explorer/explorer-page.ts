import {
  html,
  pageReply,
  permissionChain,
  withQuery,
  type Html,
  type Reply,
  type Route,
  type Visit,
} from "rowhouse/plugin-api";
import { endpointsFor } from "./endpoints.js";
import type { DatabaseEndpoints, Endpoint, TableEndpoints } from "./endpoints.js";
import { tryGet } from "./try-request.js";
import type { Outcome } from "./try-request.js";

export const EXPLORER_PATH = "/-/api";

/** Forms that send requests to the JSON API, and example requests for the actor. */
export const explorerRoute: Route = {
  name: "api-explorer",
  path: EXPLORER_PATH,
  target: "instance",
  permissions: permissionChain,
  view: showExplorer,
};

async function showExplorer(visit: Visit): Promise<Reply> {
  const { rowhouse, request, actor } = visit;
  const databases = await endpointsFor(rowhouse, actor);
  const asked = request.query.get("path");
  const explorer: Explorer = {
    action: rowhouse.urls.path(EXPLORER_PATH),
    path: asked ?? "",
    firstPath: databases[0]?.endpoints[0]?.path ?? rowhouse.urls.instance("json"),
    outcome: asked === null ? null : await tryGet(visit, asked),
    isAsked: asked !== null,
    description: rowhouse.routes.some(({ name }) => name === "openapi")
      ? rowhouse.urls.path("/-/openapi.json")
      : null,
    databases,
  };
  return pageReply(visit, {
    template: "api_explorer.html",
    title: "API explorer",
    content: explorerMarkup(explorer),
    context: { databases },
  });
}

interface Explorer {
  readonly action: string;
  /** Empty if the page has no request. */
  readonly path: string;
  readonly firstPath: string;
  /** Null without a request, or if its path is not of this site. */
  readonly outcome: Outcome | null;
  readonly isAsked: boolean;
  /** Address of the OpenAPI document; null if no plugin provides it. */
  readonly description: string | null;
  readonly databases: readonly DatabaseEndpoints[];
}

const explorerMarkup = (explorer: Explorer): Html => html`
  <div class="page-heading"><h1>API explorer</h1></div>
  <p class="lead">
    Every page of this site is also JSON. Try requests here, or pick one of the
    <a href="#endpoints">ready-made ones</a>. They run with your own permissions.
    ${
      explorer.description !== null &&
      html`All there is, for programs that write clients:
        <a href="${explorer.description}">the OpenAPI description</a>.`
    }
  </p>
  <div class="api-forms">${getForm(explorer)} ${postForm(explorer)}</div>
  <section class="api-answer" aria-live="polite">${answerMarkup(explorer)}</section>
  <section id="endpoints">
    <h2>What you may ask for</h2>
    ${explorer.databases.length === 0 && NOTHING_TO_SEE}
    ${explorer.databases.map((database) => databaseMarkup(explorer, database))}
  </section>
`;

const NOTHING_TO_SEE = html`<p class="empty">
  There is no database here that you may see. Sign in, or start Rowhouse with a SQLite file.
</p>`;

const getForm = ({ action, path, firstPath }: Explorer): Html => html`
  <form class="panel" action="${action}" method="get" data-api="GET">
    <h2>GET</h2>
    <p class="field">
      <label for="api-get-path">Path</label>
      <input
        id="api-get-path"
        type="text"
        name="path"
        value="${path}"
        placeholder="${firstPath}"
        required
        spellcheck="false"
        autocapitalize="off"
      />
    </p>
    <p class="buttons"><button type="submit">GET</button></p>
  </form>
`;

const postForm = ({ action }: Explorer): Html => html`
  <form class="panel" action="${action}" method="post" data-api="POST">
    <h2>POST</h2>
    <noscript
      ><p>Sending JSON from this page needs scripting. Without it, use a tool such as curl.</p></noscript
    >
    <p class="field">
      <label for="api-post-path">Path</label>
      <input id="api-post-path" type="text" name="path" required spellcheck="false" autocapitalize="off" />
    </p>
    <p class="field">
      <label for="api-json">JSON</label>
      <textarea id="api-json" class="code" name="json" rows="7" spellcheck="false" autocapitalize="off">
{}</textarea>
    </p>
    <p class="buttons">
      <button type="submit" disabled data-needs-script>POST</button>
      <button type="button" class="quiet" data-format-json hidden>Format JSON</button>
    </p>
  </form>
`;

function answerMarkup({ isAsked, outcome }: Explorer): Html | null {
  if (!isAsked) return null;
  if (outcome === null) {
    return html`<p class="message message-error">Only paths of this site can be requested here.</p>`;
  }
  const { status, contentType, text } = outcome;
  return html`
    <h2>Answer <span class="status ${status < 400 ? "status-good" : "status-bad"}">${status}</span></h2>
    ${
      text === null
        ? html`<p>The answer is a file of the type ${contentType}.</p>`
        : html`<pre class="json" tabindex="0"><code>${text}</code></pre>`
    }
  `;
}

const databaseMarkup = (explorer: Explorer, database: DatabaseEndpoints): Html => html`
  <details class="api-database" ${explorer.databases.length === 1 && "open"}>
    <summary>
      <strong dir="auto">${database.name}</strong>
      <span class="figures">${countText(database)}</span>
    </summary>
    ${endpointList(explorer, database.endpoints)}
    ${database.tables.map((table) => tableMarkup(explorer, table))}
    ${database.more > 0 && html`<p class="figures">… and ${database.more} more of the same kind</p>`}
  </details>
`;

function countText({ tables, more }: DatabaseEndpoints): string {
  const count = tables.length + more;
  return count === 1 ? "1 table or view" : `${count} tables and views`;
}

const tableMarkup = (explorer: Explorer, table: TableEndpoints): Html => html`
  <div class="api-table">
    <h3 dir="auto">${table.name}${table.isView && html` <span class="suffix">(view)</span>`}</h3>
    ${endpointList(explorer, table.endpoints)}
  </div>
`;

const endpointList = ({ action }: Explorer, endpoints: readonly Endpoint[]): Html => html`
  <ul class="endpoints">
    ${endpoints.map(
      (endpoint) =>
        html`<li>
          <span class="verb verb-${endpoint.method.toLowerCase()}">${endpoint.method}</span>
          <a href="${hrefOf(action, endpoint)}" data-endpoint title="${endpoint.path}">${endpoint.label}</a>
        </li>`,
    )}
  </ul>
`;

/** The fragment contains the state. The form for GET works without scripts too. */
function hrefOf(action: string, { method, path, json }: Endpoint): string {
  if (json === null) return withQuery(action, [["path", path]]);
  return `#${new URLSearchParams({ path, method, json }).toString()}`;
}
