import { csrfField, html, pageReply, type Html, type Reply, type Visit } from "rowhouse/plugin-api";
import type { SavedView } from "./store.js";

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
    title: `Saved views of ${table.name}`,
    content: markup(visit, page),
    context: { views: page.views },
    database: database.name,
    table: table.name,
    headers: { "cache-control": "no-store" },
  });
}

/** The address of the rows that a view shows. */
export const addressOf = ({ rowhouse: { urls } }: Pick<Visit, "rowhouse">, view: SavedView): string =>
  urls.table(view.database, view.table) +
  (view.query === "" ? "" : `?${view.query}`) +
  (view.fragment === "" ? "" : `#${view.fragment}`);

const markup = (visit: Visit<"table">, { views, actor, canSave }: ViewsPage): Html => html`
  <h1 dir="auto">Saved views of ${visit.target.table.name}</h1>
  ${
    views.length === 0
      ? html`<p>No view has been saved so far.</p>`
      : html`<table>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Seen by</th>
              <th scope="col">Saved by</th>
              <th scope="col">Delete</th>
            </tr>
          </thead>
          <tbody>
            ${views.map((view) => viewRow(visit, view, actor))}
          </tbody>
        </table>`
  }
  ${canSave ? saveForm(visit) : html`<p>Sign in to save views, if you have the permission <code>save-view</code>.</p>`}
`;

const viewRow = (visit: Visit<"table">, view: SavedView, actor: string | null): Html => html`
  <tr>
    <td dir="auto"><a href="${addressOf(visit, view)}">${view.name}</a></td>
    <td>${view.isPrivate ? "only you" : "everyone who may view the table"}</td>
    <td dir="auto">${view.owner}</td>
    <td>
      ${
        mayDelete(view, actor) &&
        html`<form action="${ownPath(visit)}/${view.id}/delete" method="post">
          ${csrfField(visit)}
          <button type="submit" class="quiet" aria-label="Delete ${view.name}">Delete</button>
        </form>`
      }
    </td>
  </tr>
`;

/** Owners delete their views, root those that are shared. */
export const mayDelete = (view: SavedView, actor: string | null): boolean =>
  actor !== null && (view.owner === actor || (actor === "root" && !view.isPrivate));

const ownPath = ({ rowhouse: { urls }, target: { database, table } }: Visit<"table">): string =>
  `${urls.table(database.name, table.name)}/-/views`;

function saveForm(visit: Visit<"table">): Html {
  const { query } = visit.request;
  const shown = query.get("query") ?? "";
  const fragment = query.get("fragment") ?? "";
  return html`<form class="panel narrow" action="${ownPath(visit)}" method="post">
    <h2>Save a view</h2>
    ${csrfField(visit)}
    <p class="field">
      <label for="view-name">Name</label>
      <input id="view-name" name="name" required maxlength="100" dir="auto" value="" />
    </p>
    <p class="field">
      <label for="view-query">Filters, order and columns, as in the address</label>
      <input id="view-query" name="query" value="${shown}" dir="ltr" />
    </p>
    <p class="field">
      <label for="view-fragment">Chart, as after # in the address</label>
      <input id="view-fragment" name="fragment" value="${fragment}" dir="ltr" />
    </p>
    <p>
      <label
        ><input type="checkbox" name="shared" value="1" /> Share it with everyone who may view the
        table</label
      >
    </p>
    <p class="buttons"><button type="submit">Save</button></p>
  </form>`;
}
