import { actorName, html, withQuery, type Decision, type Html, type Visit } from "rowhouse/plugin-api";

const RESULTS = ["allowed", "denied"] as const;

interface Filter {
  readonly action: string;
  readonly actor: string;
  readonly result: string;
}

/** The latest decisions, newest first. `?action=`, `?actor=` and `?result=` narrow them. */
export function recentChecks(visit: Visit, decisions: readonly Decision[]): Html {
  const { query } = visit.request;
  const filter: Filter = {
    action: query.get("action") ?? "",
    actor: query.get("actor") ?? "",
    result: query.get("result") ?? "",
  };
  const shown = decisions.filter((decision) => fits(decision, filter));
  return html`
    <h2 id="recent">
      Recent permission checks <span class="figures">${countText(shown.length, decisions.length)}</span>
    </h2>
    ${filterForm(visit, decisions, filter)}
    ${
      shown.length === 0
        ? html`<p class="empty">No check fits.</p>`
        : html`<ol class="decisions">
            ${shown.map((decision) => decisionMarkup(visit, decision))}
          </ol>`
    }
  `;
}

const countText = (shown: number, all: number): string =>
  shown === all ? String(all) : `${shown} of ${all}`;

const fits = (decision: Decision, { action, actor, result }: Filter): boolean =>
  (action === "" || decision.action === action) &&
  (actor === "" || nameOf(decision) === actor) &&
  (result === "" || decision.allowed === (result === "allowed"));

const nameOf = ({ actor }: Decision): string => (actor === null ? "anonymous" : actorName(actor));

function filterForm({ rowhouse }: Visit, decisions: readonly Decision[], filter: Filter): Html {
  const actions = [...new Set(decisions.map(({ action }) => action))].toSorted();
  const actors = [...new Set(decisions.map(nameOf))].toSorted();
  return html`<form class="filter-form" action="${rowhouse.urls.path("/-/permissions")}#recent" method="get">
    ${menu("action", "Permission", actions, filter.action)} ${menu("actor", "Actor", actors, filter.actor)}
    ${menu("result", "Result", RESULTS, filter.result)}
    <p class="buttons"><button type="submit" class="quiet">Show</button></p>
  </form>`;
}

const menu = (name: keyof Filter, label: string, values: readonly string[], chosen: string): Html => html`
  <p class="field">
    <label for="recent-${name}">${label}</label>
    <select id="recent-${name}" name="${name}">
      <option value="">any</option>
      ${values.map((value) => html`<option ${value === chosen && html`selected`}>${value}</option>`)}
    </select>
  </p>
`;

/** Short, because the page has two hundred of them. */
const decisionMarkup = ({ rowhouse }: Visit, decision: Decision): Html => {
  const { action, at, allowed, usedDefault, actor, resource } = decision;
  const [database = "", table = ""] = typeof resource === "string" ? [resource] : (resource ?? []);
  const check = withQuery(rowhouse.urls.path("/-/check"), [
    ["actor", JSON.stringify(actor)],
    ["action", action],
    ["parent", database],
    ["child", table],
  ]);
  const parts = [
    html`<a href="${check}"><strong>${action}</strong></a> <time>${at.toISOString()}</time> `,
    html`<b class="verdict">${verdict(decision)}</b>`,
    usedDefault && html` <span class="figures">(used default)</span>`,
    html`<br />Actor: <code>${JSON.stringify(actor)}</code>`,
    resource !== null && html` Resource: <code>${JSON.stringify(resource)}</code>`,
  ];
  return html`<li class="${allowed ? "allowed" : "denied"}">${parts}</li>`;
};

/** A chain is checked without defaults: a step without opinions neither allows nor denies. */
function verdict({ opinion, allowed, inChain }: Decision): string {
  if (opinion === null && inChain === true) return "none";
  return allowed ? "✓" : "✗";
}
