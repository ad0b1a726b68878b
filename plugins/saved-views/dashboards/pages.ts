import { csrfField, html, pageReply, type Html, type Reply, type Visit } from "rowhouse/plugin-api";
import type { SavedView } from "../store.js";
import { chartCard } from "./chart-card.js";
import type { Dashboard } from "./store.js";

const PATH = "/-/dashboards";
const NOT_KEPT = { "cache-control": "no-store" };

/** The address of a dashboard. */
export const pathOf = ({ rowhouse }: Pick<Visit, "rowhouse">, { id }: Pick<Dashboard, "id">): string =>
  rowhouse.urls.path(`${PATH}/${id}`);

interface Listed {
  readonly listed: readonly Dashboard[];
  readonly canSave: boolean;
}

/** The dashboards that the actor may see, and a form to make one. */
export function dashboardsPage(visit: Visit, { listed, canSave }: Listed): Promise<Reply> {
  return pageReply(visit, {
    template: "dashboards.html",
    title: "Dashboards",
    content: html`
      <h1>Dashboards</h1>
      ${
        listed.length === 0
          ? html`<p class="empty">
              A dashboard shows saved charts beside each other. ${!canSave && "Sign in to make one."}
            </p>`
          : html`<div class="table-wrapper" tabindex="0" role="region" aria-label="Dashboards">
              <table class="listing">
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col">Seen by</th>
                    <th scope="col">Made by</th>
                  </tr>
                </thead>
                <tbody>
                  ${listed.map(
                    (one) =>
                      html`<tr>
                        <td dir="auto"><a href="${pathOf(visit, one)}">${one.name}</a></td>
                        <td>${seenBy(one)}</td>
                        <td dir="auto">${one.owner}</td>
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>`
      }
      ${
        canSave &&
        html`<form class="panel narrow" action="${visit.rowhouse.urls.path(PATH)}" method="post">
          <h2>Make a dashboard</h2>
          ${csrfField(visit)} ${factsFields({ name: "", isPrivate: true })}
          <p class="buttons"><button type="submit">Make</button></p>
        </form>`
      }
    `,
    context: { dashboards: listed },
    headers: NOT_KEPT,
  });
}

const seenBy = ({ isPrivate }: Dashboard): string => (isPrivate ? "only you" : "everyone");

const factsFields = ({ name, isPrivate }: Pick<Dashboard, "name" | "isPrivate">): Html => html`
  <p class="field">
    <label for="dashboard-name">Name</label>
    <input id="dashboard-name" name="name" required maxlength="100" dir="auto" value="${name}" />
  </p>
  <p>
    <label>
      <input type="checkbox" name="shared" value="1" ${!isPrivate && html`checked`} /> Share it with everyone,
      who sees the shared views of tables that they may view
    </label>
  </p>
`;

interface Shown {
  readonly dashboard: Dashboard;
  /** In order. */
  readonly views: readonly SavedView[];
  readonly isOwner: boolean;
  /** Views that the owner can add. */
  readonly offered: readonly SavedView[];
}

/** A dashboard: each chart loads by itself; without scripts it is a link to its rows and values. */
export function dashboardPage(visit: Visit, { dashboard, views, isOwner, offered }: Shown): Promise<Reply> {
  const cards = views.map((view, place) =>
    chartCard(visit, view, isOwner ? { action: pathOf(visit, dashboard), place, count: views.length } : null),
  );
  return pageReply(visit, {
    template: "dashboard.html",
    title: dashboard.name,
    content: html`
      <div class="page-heading"><h1 dir="auto">${dashboard.name}</h1></div>
      <p class="figures">
        <a href="${visit.rowhouse.urls.path(PATH)}">Dashboards</a> · Made by ${dashboard.owner}, seen by
        ${seenBy(dashboard)}
      </p>
      ${views.length === 0 && emptyNote(isOwner)}
      <div class="saved-charts">${cards}</div>
      ${isOwner && ownerForms(visit, { dashboard, views, offered })}
    `,
    context: { dashboard, views },
    headers: NOT_KEPT,
  });
}

const emptyNote = (isOwner: boolean): Html =>
  html`<p class="empty">
    ${
      isOwner
        ? "There is no chart here yet. Open the chart of a table, save it by Actions, Saved views, and add it below."
        : "There is no chart here that you may see."
    }
  </p>`;

function ownerForms(visit: Visit, { dashboard, views, offered }: Omit<Shown, "isOwner">): Html {
  const shown = new Set(views.map(({ id }) => id));
  const further = offered.filter(({ id }) => !shown.has(id));
  const action = pathOf(visit, dashboard);
  return html`
    ${
      further.length > 0 &&
      html`<form class="panel search-form" action="${action}" method="post">
        ${csrfField(visit)}
        <label for="dashboard-view">Add a saved view</label>
        <select id="dashboard-view" name="view">
          ${further.map(
            (view) => html`<option value="${view.id}">${view.name} (${view.database}/${view.table})</option>`,
          )}
        </select>
        <button type="submit" name="action" value="add">Add</button>
      </form>`
    }
    <details class="dashboard-settings">
      <summary>Name, sharing and deletion</summary>
      <form class="panel narrow" action="${action}" method="post">
        ${csrfField(visit)} ${factsFields(dashboard)}
        <p class="buttons"><button type="submit">Save</button></p>
      </form>
      <form action="${action}/delete" method="post">
        ${csrfField(visit)}
        <button type="submit" class="danger">Delete this dashboard</button>
      </form>
    </details>
  `;
}
