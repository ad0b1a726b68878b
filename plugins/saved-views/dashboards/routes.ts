import {
  Forbidden,
  NotFound,
  permissionChain,
  reply,
  type Reply,
  type Route,
  type RouteFor,
  type Visit,
} from "rowhouse/plugin-api";
import { SAVE_VIEW, asJson, published } from "../routes.js";
import { sendsJson } from "../read-view.js";
import type { ViewStore } from "../store.js";
import { tOf } from "../texts.js";
import { idOf, visibleViews } from "../visible-views.js";
import { mayDelete } from "../views-page.js";
import { dashboardPage, dashboardsPage, pathOf } from "./pages.js";
import { readDashboard, type WantedDashboard } from "./read-dashboard.js";
import type { Dashboard, DashboardStore } from "./store.js";

/** Where dashboards and views are stored. */
export interface Stores {
  readonly dashboards: DashboardStore;
  readonly views: ViewStore;
}

type OpenStores = () => Promise<Stores>;
type Instance = Visit<"instance">;

const ONE = "/-/dashboards/:dashboard";
const FOR_VIEWERS = { target: "instance", permissions: permissionChain } as const;

/** Dashboards are listed, shown and changed under `/-/dashboards`. */
export const dashboardRoutes = (open: OpenStores): readonly Route[] => [
  {
    ...FOR_VIEWERS,
    name: "dashboards",
    path: "/-/dashboards{.:format}",
    view: async (visit: Instance) => listDashboards(visit, await open()),
  },
  {
    ...FOR_VIEWERS,
    name: "create-dashboard",
    method: "POST",
    path: "/-/dashboards",
    view: async (visit: Instance) => createDashboard(visit, await open()),
  },
  {
    ...FOR_VIEWERS,
    name: "dashboard",
    path: `${ONE}{.:format}`,
    view: async (visit: Instance) => showDashboard(visit, await open()),
  },
  {
    ...FOR_VIEWERS,
    name: "change-dashboard",
    method: "POST",
    path: ONE,
    view: async (visit: Instance) => changeDashboard(visit, await open()),
  },
  {
    ...FOR_VIEWERS,
    name: "delete-dashboard",
    method: "POST",
    path: `${ONE}/delete`,
    view: async (visit: Instance) => deleteDashboard(visit, await open()),
  },
];

/** For servers that can't store dashboards. */
export const absentDashboards: RouteFor<"instance"> = {
  ...FOR_VIEWERS,
  name: "absent-dashboards",
  path: "/-/dashboards{.:format}",
  view: () =>
    Promise.reject(new NotFound("There are no dashboards: start the server with --internal to make some")),
};

const canSave = ({ rowhouse, actor }: Instance): Promise<boolean> =>
  idOf(actor) === null ? Promise.resolve(false) : rowhouse.permissions.allowed(actor, SAVE_VIEW);

async function listDashboards(visit: Instance, { dashboards }: Stores): Promise<Reply> {
  const listed = await dashboards.list(idOf(visit.actor));
  if (visit.format === "html") return dashboardsPage(visit, { listed, canSave: await canSave(visit) });
  return asJson({ ok: true, dashboards: listed.map((one) => publishedDashboard(visit, one)) });
}

async function createDashboard(visit: Instance, { dashboards }: Stores): Promise<Reply> {
  const { request, actor } = visit;
  const owner = idOf(actor);
  if (owner === null || !(await canSave(visit))) throw new Forbidden(`Permission denied: need ${SAVE_VIEW}`);
  const { name = "Dashboard", isPrivate = true, views = [] } = await readDashboard(request);
  const made = await dashboards.create(owner, { name, isPrivate }, views);
  if (sendsJson(request)) return asJson({ ok: true, dashboard: publishedDashboard(visit, made) }, 201);
  return reply.redirect(pathOf(visit, made), 303);
}

/** @throws NotFound also for private dashboards of others */
async function found(visit: Instance, { dashboards }: Stores): Promise<Dashboard> {
  const dashboard = await dashboards.find(visit.params["dashboard"] ?? "", idOf(visit.actor));
  if (dashboard === null) throw new NotFound("There is no such dashboard");
  return dashboard;
}

async function showDashboard(visit: Instance, stores: Stores): Promise<Reply> {
  const dashboard = await found(visit, stores);
  const actor = idOf(visit.actor);
  const views = await visibleViews(visit, await stores.dashboards.views(dashboard.id, actor));
  if (visit.format !== "html")
    return asJson({
      ok: true,
      dashboard: publishedDashboard(visit, dashboard),
      views: views.map((view) => published(visit, view)),
    });
  const isOwner = dashboard.owner === actor && (await canSave(visit));
  const offered = isOwner ? await visibleViews(visit, await stores.views.all(actor)) : [];
  return dashboardPage(visit, { dashboard, views, isOwner, offered });
}

/** @throws NotFound, Forbidden for dashboards of others */
async function changeDashboard(visit: Instance, stores: Stores): Promise<Reply> {
  const { dashboards } = stores;
  const dashboard = await ownDashboard(visit, stores);
  const wanted = await readDashboard(visit.request);
  await dashboards.change(dashboard, wanted, (before) => arranged(before, wanted));
  const { name = dashboard.name, isPrivate = dashboard.isPrivate } = wanted;
  if (sendsJson(visit.request))
    return asJson({ ok: true, dashboard: publishedDashboard(visit, { ...dashboard, name, isPrivate }) });
  return reply.redirect(pathOf(visit, dashboard), 303);
}

/** The views after a change, in their new order. */
function arranged(
  before: readonly string[],
  { views, action, view = "" }: WantedDashboard,
): readonly string[] {
  if (views !== undefined) return views;
  const place = before.indexOf(view);
  // The page of the button is old: the view was removed since.
  if (action !== "add" && place === -1) return before;
  const others = before.filter((one) => one !== view);
  switch (action) {
    case "add":
      return view === "" ? before : [...others, view];
    case "remove":
      return others;
    case "up":
      return others.toSpliced(Math.max(0, place - 1), 0, view);
    case "down":
      return others.toSpliced(place + 1, 0, view);
    default:
      return before;
  }
}

async function ownDashboard(visit: Instance, stores: Stores): Promise<Dashboard> {
  const dashboard = await found(visit, stores);
  if (dashboard.owner !== idOf(visit.actor) || !(await canSave(visit)))
    throw new Forbidden("Permission denied: only its owner can change a dashboard");
  return dashboard;
}

/** Root deletes shared dashboards of others. */
async function deleteDashboard(visit: Instance, stores: Stores): Promise<Reply> {
  const { rowhouse, request, actor } = visit;
  const dashboard = await found(visit, stores);
  if (!mayDelete(dashboard, idOf(actor)) || !(await canSave(visit)))
    throw new Forbidden("Permission denied: only its owner can delete a dashboard");
  await stores.dashboards.delete(dashboard.id);
  if (sendsJson(request)) return asJson({ ok: true, deleted: dashboard.id });
  rowhouse.serviceIfAny("messages")?.add(request, tOf(visit)("dashboard.deleted", { name: dashboard.name }));
  return reply.redirect(rowhouse.urls.path("/-/dashboards"), 303);
}

const publishedDashboard = (visit: Instance, { id, name, isPrivate, owner, saved }: Dashboard) => ({
  id,
  name,
  url: visit.rowhouse.urls.absolute(visit.request, pathOf(visit, { id })),
  private: isPrivate,
  owner,
  saved,
});
