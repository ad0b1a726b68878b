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
import { endpointsFor, type DatabaseEndpoints, type Endpoint, type TableEndpoints } from "./endpoints.js";
import { tryGet, type Outcome } from "./try-request.js";
import { tOf, type T } from "./texts.js";

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
  const { rowhouse, request } = visit;
  const t = tOf(visit);
  const databases = await endpointsFor(visit);
  const asked = request.query.get("path");
  const explorer: Explorer = {
    t,
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
    title: t("api.link"),
    content: explorerMarkup(explorer),
    context: { databases, is_translated: true },
  });
}

interface Explorer {
  readonly t: T;
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
  <div class="page-heading"><h1>${explorer.t("api.link")}</h1></div>
  <p class="lead">
    ${explorer.t("api.lead")}
    <a href="#endpoints">${explorer.t("api.ready_made")}</a>
    ${explorer.description !== null && html` · <a href="${explorer.description}">${explorer.t("api.openapi")}</a>`}
  </p>
  <div class="api-forms">${getForm(explorer)} ${postForm(explorer)}</div>
  <section class="api-answer" aria-live="polite">${answerMarkup(explorer)}</section>
  <section id="endpoints">
    <h2>${explorer.t("api.endpoints")}</h2>
    ${explorer.databases.length === 0 && html`<p class="empty">${explorer.t("api.nothing")}</p>`}
    ${explorer.databases.map((database) => databaseMarkup(explorer, database))}
  </section>
`;

const getForm = ({ t, action, path, firstPath }: Explorer): Html => html`
  <form class="panel" action="${action}" method="get" data-api="GET">
    <h2>GET</h2>
    <p class="field">
      <label for="api-get-path">${t("api.path")}</label>
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

const postForm = ({ t, action }: Explorer): Html => html`
  <form class="panel" action="${action}" method="post" data-api="POST">
    <h2>POST</h2>
    <noscript><p>${t("api.no_script")}</p></noscript>
    <p class="field">
      <label for="api-post-path">${t("api.path")}</label>
      <input id="api-post-path" type="text" name="path" required spellcheck="false" autocapitalize="off" />
    </p>
    <p class="field">
      <label for="api-json">JSON</label>
      <textarea id="api-json" class="code" name="json" rows="7" spellcheck="false" autocapitalize="off">
{}</textarea>
    </p>
    <p class="buttons">
      <button type="submit" disabled data-needs-script>POST</button>
      <button type="button" class="quiet" data-format-json hidden>${t("api.format")}</button>
    </p>
  </form>
`;

function answerMarkup({ t, isAsked, outcome }: Explorer): Html | null {
  if (!isAsked) return null;
  if (outcome === null) {
    return html`<p class="message message-error">${t("api.own_paths")}</p>`;
  }
  const { status, contentType, text, isCut } = outcome;
  return html`
    <h2>
      ${t("api.answer")} <span class="status ${status < 400 ? "status-good" : "status-bad"}">${status}</span>
    </h2>
    ${
      text === null
        ? html`<p>${t("api.file", { type: contentType })}</p>`
        : html`<pre class="json" tabindex="0"><code>${text}${isCut && `\n… ${t("api.cut")}`}</code></pre>`
    }
  `;
}

const databaseMarkup = (explorer: Explorer, database: DatabaseEndpoints): Html => html`
  <details class="api-database" ${explorer.databases.length === 1 && "open"}>
    <summary>
      <strong dir="auto">${database.name}</strong>
      <span class="figures">${countText(explorer.t, database)}</span>
    </summary>
    ${endpointList(explorer, database.endpoints)}
    ${database.tables.map((table) => tableMarkup(explorer, table))}
    ${database.more > 0 && html`<p class="figures">${explorer.t("api.more", { count: database.more })}</p>`}
  </details>
`;

const countText = (t: T, { tables, more }: DatabaseEndpoints): string =>
  t("api.tables", { count: tables.length + more });

const tableMarkup = (explorer: Explorer, table: TableEndpoints): Html => html`
  <div class="api-table">
    <h3 dir="auto">
      ${table.name}${table.isView && html` <span class="suffix">${explorer.t("api.view")}</span>`}
    </h3>
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
