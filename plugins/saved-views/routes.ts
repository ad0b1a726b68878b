import {
  Forbidden,
  NotFound,
  defineRoute,
  jsonText,
  permissionChain,
  reply,
  type Page,
  type Reply,
  type Route,
  type Visit,
} from "rowhouse/plugin-api";
import { readView, sendsJson } from "./read-view.js";
import type { SavedView, ViewOf, ViewStore } from "./store.js";
import { tOf } from "./texts.js";
import { idOf, visibleViews } from "./visible-views.js";
import { addressOf, mayDelete, viewsPage } from "./views-page.js";

export const SAVE_VIEW = "save-view";

type TableVisit = Visit<"table">;
type OpenStore = () => Promise<ViewStore>;

const FOR_VIEWERS = {
  target: "table",
  permissions: permissionChain,
  refusal: "You do not have permission to view this table",
} as const;

/** Views are listed, saved and deleted under the address of their table, by actors that may view it. */
export const viewRoutes = (open: OpenStore): readonly Route[] => [
  defineRoute({
    ...FOR_VIEWERS,
    name: "saved-views",
    path: "/:database/:resource/-/views{.:format}",
    view: async (visit) => listViews(visit, await open()),
  }),
  defineRoute({
    ...FOR_VIEWERS,
    name: "save-view",
    method: "POST",
    path: "/:database/:resource/-/views",
    view: async (visit) => saveView(visit, await open()),
  }),
  defineRoute({
    ...FOR_VIEWERS,
    name: "delete-view",
    method: "POST",
    path: "/:database/:resource/-/views/:view/delete",
    view: async (visit) => deleteView(visit, await open()),
  }),
];

const tableOf = ({ target: { database, table } }: TableVisit): ViewOf => ({
  database: database.name,
  table: table.name,
});

const canSave = ({ rowhouse, actor, target: { database, table } }: TableVisit): Promise<boolean> =>
  idOf(actor) === null
    ? Promise.resolve(false)
    : rowhouse.permissions.allowed(actor, SAVE_VIEW, [database.name, table.name]);

async function listViews(visit: TableVisit, store: ViewStore): Promise<Page | Reply> {
  const actor = idOf(visit.actor);
  const views = await visibleViews(visit, await store.list(tableOf(visit), actor));
  if (visit.format === "html") return viewsPage(visit, { views, actor, canSave: await canSave(visit) });
  return asJson({ ok: true, views: views.map((view) => published(visit, view)) });
}

async function saveView(visit: TableVisit, store: ViewStore): Promise<Reply> {
  const { rowhouse, request, actor } = visit;
  const owner = idOf(actor);
  if (owner === null || !(await canSave(visit))) throw new Forbidden(`Permission denied: need ${SAVE_VIEW}`);
  const of = tableOf(visit);
  const wanted = await readView(request);
  // It fails for an address that is too long. Then nothing must be saved.
  const made = reply.redirect(addressOf(visit, { ...of, ...wanted }), 303);
  const saved = await store.save(of, owner, wanted);
  if (sendsJson(request)) return asJson({ ok: true, view: published(visit, saved) }, 201);
  rowhouse.serviceIfAny("messages")?.add(request, tOf(visit)("views.saved", { name: saved.name }));
  return made;
}

/** @throws NotFound also for private views of others, Forbidden for shared ones */
async function deleteView(visit: TableVisit, store: ViewStore): Promise<Reply> {
  const { rowhouse, request, params } = visit;
  const of = tableOf(visit);
  const actor = idOf(visit.actor);
  const view = await store.find(of, params["view"] ?? "", actor);
  if (view === null) throw new NotFound("There is no such view");
  if (!mayDelete(view, actor) || !(await canSave(visit)))
    throw new Forbidden("Permission denied: only its owner can delete a view");
  await store.delete(view.id);
  if (sendsJson(request)) return asJson({ ok: true, deleted: view.id });
  rowhouse.serviceIfAny("messages")?.add(request, tOf(visit)("views.deleted", { name: view.name }));
  return reply.redirect(`${rowhouse.urls.table(of.database, of.table)}/-/views`, 303);
}

/** A document that changes when the user saves or deletes something: no cache keeps it. */
export const asJson = (document: object, status = 200): Reply =>
  reply.json(jsonText(document), status, { "cache-control": "no-store" });

/** A view in JSON documents. */
export const published = (visit: Pick<Visit, "rowhouse" | "request">, view: SavedView) => ({
  id: view.id,
  name: view.name,
  query: view.query,
  fragment: view.fragment,
  url: visit.rowhouse.urls.absolute(visit.request, addressOf(visit, view)),
  private: view.isPrivate,
  owner: view.owner,
  saved: view.saved,
});
