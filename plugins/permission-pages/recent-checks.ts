import { actorName, html, withQuery, type Decision, type Html, type Visit } from "rowhouse/plugin-api";
import { tOf } from "./texts.js";

interface Filter {
  readonly action: string;
  readonly actor: string;
  readonly result: string;
}

/** The latest decisions, newest first. `?action=`, `?actor=` and `?result=` narrow them. */
export function recentChecks(visit: Visit, decisions: readonly Decision[]): Html {
  const t = tOf(visit);
  const { query } = visit.request;
  const filter: Filter = {
    action: query.get("action") ?? "",
    actor: query.get("actor") ?? "",
    result: query.get("result") ?? "",
  };
  const shown = decisions.filter((decision) => fits(decision, filter));
  return html`
    <h2 id="recent">
      ${t("permissions.recent_checks")}
      <span class="figures">
        ${
          shown.length === decisions.length
            ? decisions.length
            : t("permissions.some", { shown: shown.length, count: decisions.length })
        }
      </span>
    </h2>
    ${filterForm(visit, decisions, filter)}
    ${
      shown.length === 0
        ? html`<p class="empty">${t("permissions.none_fits")}</p>`
        : html`<ol class="decisions">
            ${shown.map((decision) => decisionMarkup(visit, decision))}
          </ol>`
    }
  `;
}

const fits = (decision: Decision, { action, actor, result }: Filter): boolean =>
  (action === "" || decision.action === action) &&
  (actor === "" || nameOf(decision) === actor) &&
  (result === "" || decision.allowed === (result === "allowed"));

const nameOf = ({ actor }: Decision): string => (actor === null ? ANONYMOUS : actorName(actor));

/** The value of the filter for decisions without an actor. */
const ANONYMOUS = "anonymous";

type Choice = readonly [value: string, label: string];

function filterForm(visit: Visit, decisions: readonly Decision[], filter: Filter): Html {
  const t = tOf(visit);
  const actions = [...new Set(decisions.map(({ action }) => action))].toSorted();
  const actors = [...new Set(decisions.map(nameOf))].toSorted();
  const results: readonly Choice[] = [
    ["allowed", t("permissions.allowed")],
    ["denied", t("permissions.denied")],
  ];
  const menu = (name: keyof Filter, label: string, choices: readonly Choice[]): Html => html`
    <p class="field">
      <label for="recent-${name}">${label}</label>
      <select id="recent-${name}" name="${name}">
        <option value="">${t("permissions.any")}</option>
        ${choices.map(
          ([value, text]) =>
            html`<option value="${value}" ${value === filter[name] && html`selected`}>${text}</option>`,
        )}
      </select>
    </p>
  `;
  return html`<form
    class="filter-form"
    action="${visit.rowhouse.urls.path("/-/permissions")}#recent"
    method="get"
  >
    ${menu(
      "action",
      t("permissions.permission"),
      actions.map((name) => [name, name]),
    )}
    ${menu(
      "actor",
      t("permissions.actor"),
      actors.map((name) => [name, name === ANONYMOUS ? t("permissions.anonymous") : name]),
    )}
    ${menu("result", t("permissions.result"), results)}
    <p class="buttons"><button type="submit" class="quiet">${t("permissions.show")}</button></p>
  </form>`;
}

/** Short, because the page has two hundred of them. */
const decisionMarkup = (visit: Visit, decision: Decision): Html => {
  const t = tOf(visit);
  const { action, at, allowed, usedDefault, actor, resource } = decision;
  const [database = "", table = ""] = typeof resource === "string" ? [resource] : (resource ?? []);
  const check = withQuery(visit.rowhouse.urls.path("/-/check"), [
    ["actor", JSON.stringify(actor)],
    ["action", action],
    ["parent", database],
    ["child", table],
  ]);
  const parts = [
    html`<a href="${check}"><strong>${action}</strong></a>
      <time datetime="${at.toISOString()}">${at.toISOString()}</time> `,
    html`<b class="verdict">${verdict(decision) ?? t("permissions.none")}</b>`,
    usedDefault && html` <span class="figures">${t("permissions.used_default")}</span>`,
    html`<br />${t("permissions.of_actor")} <code>${JSON.stringify(actor)}</code>`,
    resource !== null && html` ${t("permissions.of_resource")} <code>${JSON.stringify(resource)}</code>`,
  ];
  return html`<li class="${allowed ? "allowed" : "denied"}">${parts}</li>`;
};

/** A chain is checked without defaults: a step without opinions neither allows nor denies. */
function verdict({ opinion, allowed, inChain }: Decision): string | null {
  if (opinion === null && inChain === true) return null;
  return allowed ? "✓" : "✗";
}
