import { csrfField, html, type Html, type Visit } from "rowhouse/plugin-api";
import { addressOf } from "../views-page.js";
import type { SavedView } from "../store.js";
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
  const { urls, routes } = visit.rowhouse;
  const table = urls.table(view.database, view.table);
  const address = addressOf(visit, view);
  const values = groupsQuery(view);
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
    ${!hasChart(view) && html`<p class="hint">This view has no chart.</p>`}
    <p class="saved-chart-links">
      <a href="${table}${query}">Rows</a>
      ${values !== null && canGroup && html` · <a href="${table}?${values}">Values</a>`}
    </p>
    ${arranging !== null && arrangeForm(visit, view, arranging)}
  </section>`;
}

const arrangeForm = (
  visit: Visit,
  { id, name }: SavedView,
  { action, place, count }: Arranging,
): Html => html`
  <form class="buttons saved-chart-order" action="${action}" method="post">
    ${csrfField(visit)} ${place > 0 && button("up", "Move up", id, name)}
    ${place < count - 1 && button("down", "Move down", id, name)} ${button("remove", "Remove", id, name)}
  </form>
`;

const button = (action: string, label: string, id: string, name: string): Html =>
  html`<button
    type="submit"
    class="quiet"
    name="action"
    value="${action}:${id}"
    aria-label="${label} ${name}"
  >
    ${label}
  </button>`;
