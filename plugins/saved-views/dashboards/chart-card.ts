import { csrfField, html, type Html, type Visit } from "rowhouse/plugin-api";
import { addressOf } from "../views-page.js";
import type { SavedView } from "../store.js";
import { tOf } from "../texts.js";
import { groupsQuery, hasChart } from "./chart-links.js";

/** Where the owner of a dashboard moves and removes a view. */
export interface Arranging {
  /** The address of the forms. */
  readonly action: string;
  readonly place: number;
  readonly count: number;
}

/** A view on a dashboard. The script of the plugin `charts` draws its chart where `data-saved-chart` is. */
export function chartCard(visit: Visit, view: SavedView, arranging: Arranging | null): Html {
  const t = tOf(visit);
  const { urls, routes } = visit.rowhouse;
  const table = urls.table(view.database, view.table);
  const address = addressOf(visit, view);
  const groups = groupsQuery(view);
  const canGroup = routes.some(({ name }) => name === "groups");
  const query = view.query === "" ? "" : `?${view.query}`;
  return html`<section class="panel saved-chart" aria-labelledby="view-${view.id}">
    <div class="saved-chart-head">
      <h2 id="view-${view.id}" dir="auto"><a href="${address}">${view.name}</a></h2>
      <span class="figures" dir="auto">${view.database}/${view.table}</span>
    </div>
    ${
      hasChart(view) &&
      html`<div
        class="saved-chart-place"
        data-saved-chart="#${view.fragment}"
        data-source="${urls.table(view.database, view.table, "json")}${query}"
        ${canGroup && html`data-groups`}
      ></div>`
    }
    ${!hasChart(view) && html`<p class="hint">${t("dashboard.no_chart")}</p>`}
    <p class="saved-chart-links">
      <a href="${table}${query}">${t("dashboard.rows")}</a>
      ${groups !== null && canGroup && html` · <a href="${table}?${groups}">${t("dashboard.groups")}</a>`}
    </p>
    ${arranging !== null && arrangeForm(visit, view, arranging)}
  </section>`;
}

function arrangeForm(visit: Visit, { id, name }: SavedView, { action, place, count }: Arranging): Html {
  const t = tOf(visit);
  return html`
    <form class="buttons saved-chart-order" action="${action}" method="post">
      ${csrfField(visit)}
      ${place > 0 && button(`up:${id}`, t("dashboard.up"), t("dashboard.up_view", { name }))}
      ${place < count - 1 && button(`down:${id}`, t("dashboard.down"), t("dashboard.down_view", { name }))}
      ${button(`remove:${id}`, t("dashboard.remove"), t("dashboard.remove_view", { name }))}
    </form>
  `;
}

const button = (value: string, text: string, label: string): Html =>
  html`<button type="submit" class="quiet" name="action" value="${value}" aria-label="${label}">
    ${text}
  </button>`;
