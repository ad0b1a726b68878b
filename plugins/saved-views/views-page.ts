import { csrfField, html, pageReply, type Html, type Reply, type Visit } from "rowhouse/plugin-api";
import { listing } from "rowhouse/plugin-api/html";
import type { SavedView } from "./store.js";
import { tOf } from "./texts.js";

export interface ViewsPage {
  readonly views: readonly SavedView[];
  /** The id of the actor; null for anonymous requests. */
  readonly actor: string | null;
  readonly canSave: boolean;
}

/** The views of a table: links, and forms to save and to delete them. */
export function viewsPage(visit: Visit<"table">, page: ViewsPage): Promise<Reply> {
  const { database, table } = visit.target;
  return pageReply(visit, {
    template: "saved_views.html",
    title: tOf(visit)("views.title", { table: table.name }),
    content: markup(visit, page),
    context: { views: page.views, is_translated: true },
    database: database.name,
    table: table.name,
    headers: { "cache-control": "no-store" },
  });
}

/** The address of the rows that a view shows. */
export const addressOf = (
  { rowhouse: { urls } }: Pick<Visit, "rowhouse">,
  view: Pick<SavedView, "database" | "table" | "query" | "fragment">,
): string =>
  urls.table(view.database, view.table) +
  (view.query === "" ? "" : `?${view.query}`) +
  (view.fragment === "" ? "" : `#${view.fragment}`);

function markup(visit: Visit<"table">, { views, actor, canSave }: ViewsPage): Html {
  const t = tOf(visit);
  return html`
    <h1 dir="auto">${t("views.title", { table: visit.target.table.name })}</h1>
    ${
      views.length === 0
        ? html`<p class="empty">${t("views.none")}</p>`
        : listing(
            t("views.link"),
            [t("views.name"), t("views.seen_by"), t("views.saved_by"), t("views.delete")],
            views.map((view) => ({
              cells: [
                html`<a href="${addressOf(visit, view)}" dir="auto">${view.name}</a>`,
                view.isPrivate ? t("views.only_you") : t("views.viewers"),
                html`<span dir="auto">${view.owner}</span>`,
                mayDelete(view, actor) ? deleteForm(visit, view) : "",
              ],
            })),
          )
    }
    ${canSave ? saveForm(visit) : html`<p>${t("views.sign_in")} <code>save-view</code>.</p>`}
  `;
}

function deleteForm(visit: Visit<"table">, view: SavedView): Html {
  const t = tOf(visit);
  return html`<form action="${ownPath(visit)}/${view.id}/delete" method="post">
    ${csrfField(visit)}
    <button type="submit" class="quiet" aria-label="${t("views.delete_view", { name: view.name })}">
      ${t("views.delete")}
    </button>
  </form>`;
}

/** Owners delete their views and dashboards, root those that are shared. */
export const mayDelete = (
  { owner, isPrivate }: Pick<SavedView, "owner" | "isPrivate">,
  actor: string | null,
): boolean => actor !== null && (owner === actor || (actor === "root" && !isPrivate));

const ownPath = ({ rowhouse: { urls }, target: { database, table } }: Visit<"table">): string =>
  `${urls.table(database.name, table.name)}/-/views`;

function saveForm(visit: Visit<"table">): Html {
  const t = tOf(visit);
  const { query } = visit.request;
  const shown = query.get("query") ?? "";
  const fragment = query.get("fragment") ?? "";
  return html`<form class="panel narrow" action="${ownPath(visit)}" method="post">
    <h2>${t("views.save_a_view")}</h2>
    ${csrfField(visit)}
    <p class="field">
      <label for="view-name">${t("views.name")}</label>
      <input id="view-name" name="name" required maxlength="100" dir="auto" value="" />
    </p>
    <p class="field">
      <label for="view-query">${t("views.query")}</label>
      <input id="view-query" name="query" value="${shown}" dir="ltr" />
    </p>
    <p class="field">
      <label for="view-fragment">${t("views.fragment")}</label>
      <input id="view-fragment" name="fragment" value="${fragment}" dir="ltr" />
    </p>
    <p>
      <label><input type="checkbox" name="shared" value="1" /> ${t("views.share")}</label>
    </p>
    <p class="buttons"><button type="submit">${t("views.save")}</button></p>
  </form>`;
}
