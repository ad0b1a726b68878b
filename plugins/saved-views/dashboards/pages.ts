import { csrfField, html, pageReply, type Html, type Reply, type Visit } from "rowhouse/plugin-api";
import { listing } from "rowhouse/plugin-api/html";
import type { SavedView } from "../store.js";
import { tOf, type T } from "../texts.js";
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
  const t = tOf(visit);
  return pageReply(visit, {
    template: "dashboards.html",
    title: t("views.dashboards"),
    content: html`
      <h1>${t("views.dashboards")}</h1>
      ${
        listed.length === 0
          ? html`<p class="empty">${t("dashboard.about")} ${!canSave && t("dashboard.sign_in")}</p>`
          : listing(
              t("views.dashboards"),
              [t("views.name"), t("views.seen_by"), t("dashboard.made_by")],
              listed.map((one) => ({
                cells: [
                  html`<a href="${pathOf(visit, one)}" dir="auto">${one.name}</a>`,
                  seenBy(t, one),
                  html`<span dir="auto">${one.owner}</span>`,
                ],
              })),
            )
      }
      ${
        canSave &&
        html`<form class="panel narrow" action="${visit.rowhouse.urls.path(PATH)}" method="post">
          <h2>${t("dashboard.make_one")}</h2>
          ${csrfField(visit)} ${factsFields(t, { name: "", isPrivate: true })}
          <p class="buttons"><button type="submit">${t("dashboard.make")}</button></p>
        </form>`
      }
    `,
    context: { dashboards: listed, is_translated: true },
    headers: NOT_KEPT,
  });
}

const seenBy = (t: T, { isPrivate }: Dashboard): string =>
  isPrivate ? t("views.only_you") : t("dashboard.everyone");

const factsFields = (t: T, { name, isPrivate }: Pick<Dashboard, "name" | "isPrivate">): Html => html`
  <p class="field">
    <label for="dashboard-name">${t("views.name")}</label>
    <input id="dashboard-name" name="name" required maxlength="100" dir="auto" value="${name}" />
  </p>
  <p>
    <label>
      <input type="checkbox" name="shared" value="1" ${!isPrivate && html`checked`} /> ${t("dashboard.share")}
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
  const t = tOf(visit);
  const cards = views.map((view, place) =>
    chartCard(visit, view, isOwner ? { action: pathOf(visit, dashboard), place, count: views.length } : null),
  );
  return pageReply(visit, {
    template: "dashboard.html",
    title: dashboard.name,
    content: html`
      <div class="page-heading"><h1 dir="auto">${dashboard.name}</h1></div>
      <p class="figures">
        <a href="${visit.rowhouse.urls.path(PATH)}">${t("views.dashboards")}</a> ·
        ${t("dashboard.figures", { owner: dashboard.owner, readers: seenBy(t, dashboard) })}
      </p>
      ${views.length === 0 && html`<p class="empty">${isOwner ? t("dashboard.empty_own") : t("dashboard.empty")}</p>`}
      <div class="saved-charts">${cards}</div>
      ${isOwner && ownerForms(visit, { dashboard, views, offered })}
    `,
    context: { dashboard, views, is_translated: true },
    headers: NOT_KEPT,
  });
}

function ownerForms(visit: Visit, { dashboard, views, offered }: Omit<Shown, "isOwner">): Html {
  const t = tOf(visit);
  const shown = new Set(views.map(({ id }) => id));
  const further = offered.filter(({ id }) => !shown.has(id));
  const action = pathOf(visit, dashboard);
  return html`
    ${
      further.length > 0 &&
      html`<form class="panel search-form" action="${action}" method="post">
        ${csrfField(visit)}
        <label for="dashboard-view">${t("dashboard.add_view")}</label>
        <select id="dashboard-view" name="view">
          ${further.map(
            (view) => html`<option value="${view.id}">${view.name} (${view.database}/${view.table})</option>`,
          )}
        </select>
        <button type="submit" name="action" value="add">${t("dashboard.add")}</button>
      </form>`
    }
    <details class="dashboard-settings">
      <summary>${t("dashboard.settings")}</summary>
      <form class="panel narrow" action="${action}" method="post">
        ${csrfField(visit)} ${factsFields(t, dashboard)}
        <p class="buttons"><button type="submit">${t("views.save")}</button></p>
      </form>
      <form action="${action}/delete" method="post">
        ${csrfField(visit)}
        <button type="submit" class="danger">${t("dashboard.delete")}</button>
      </form>
    </details>
  `;
}
