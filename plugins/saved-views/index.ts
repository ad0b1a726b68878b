import {
  definePlugin,
  withQuery,
  type Actor,
  type Link,
  type Permission,
  type Request,
  type Rowhouse,
} from "rowhouse/plugin-api";
import type { JumpItem } from "rowhouse/plugin-api/contracts";
import { addFilesToPages, permissionTexts } from "rowhouse/plugin-api/html";
import { isTablePage } from "rowhouse/plugin-api/http";
import { pathOf } from "./dashboards/pages.js";
import { absentDashboards, dashboardRoutes, type Stores } from "./dashboards/routes.js";
import { DashboardStore } from "./dashboards/store.js";
import { withoutPage } from "./read-view.js";
import { SAVE_VIEW, viewRoutes } from "./routes.js";
import { ViewStore } from "./store.js";
import { idOf, visibleViews } from "./visible-views.js";
import { addressOf } from "./views-page.js";
import { texts, tOf } from "./texts.js";

/** Views of tables with a name and an owner, private or shared, and dashboards of their charts, in the file of `--internal`. */
export default definePlugin({
  name: "saved-views",
  deterministic: true,
  unguarded: true,
  register_texts: () => [
    ...texts,
    ...permissionTexts([permission], { de: { [SAVE_VIEW]: "Ansichten von Tabellen speichern" } }),
  ],
  optional: ["messages", "rowAccess"],
  static: new URL("static/", import.meta.url),
  setup(rowhouse) {
    // Views need a file: in memory they would be lost with the process.
    if (rowhouse.option("internal") === undefined) return { register_routes: () => absentDashboards };
    let opening: Promise<Stores> | null = null;
    const openStores = (): Promise<Stores> => (opening ??= storesOf(rowhouse));
    const open = async (): Promise<ViewStore> => (await openStores()).views;
    return {
      register_permissions: () => permission,
      startup: async () => void (await open()),
      register_routes: () => [...viewRoutes(open), ...dashboardRoutes(openStores)],
      describe_api: async () => (await import("./openapi/index.js")).api,
      track_event: async (_rowhouse, { event }) => {
        if (event.name === "rename-table")
          await (await open()).rename(event.database, event.old_table, event.new_table);
      },
      // Reading comes before the actions that change the table.
      table_actions: {
        order: "early",
        run: (_rowhouse, { request, database, table }) => link(rowhouse, request, database, table),
      },
      view_actions: (_rowhouse, { request, database, view }) => link(rowhouse, request, database, view),
      menu_links: async (_rowhouse, asking) => menuLink(rowhouse, asking, await openStores()),
      jump_items: async (_rowhouse, { actor }) => jumpItems(rowhouse, actor, await openStores()),
      ...addFilesToPages({ styles: "app.css" }, ({ viewName }) => viewName === "dashboard"),
      ...addFilesToPages({ module: "app.js" }, ({ viewName }) => viewName === "table"),
    };
  },
});

const permission: Permission = {
  name: SAVE_VIEW,
  abbr: "sv",
  description: "Save views of tables",
  takes_database: true,
  takes_resource: true,
  default: true,
};

function link(rowhouse: Rowhouse, request: Request, database: string, table: string): Link {
  const { urls } = rowhouse;
  const query = isTablePage(urls, request, [database, table]) ? withoutPage(request.queryString) : "";
  const path = `${urls.table(database, table)}/-/views`;
  return {
    label: tOf({ rowhouse, request })("views.link"),
    href: query === "" ? path : withQuery(path, [["query", query]]),
  };
}

async function storesOf(rowhouse: Rowhouse): Promise<Stores> {
  const database = rowhouse.database("_internal");
  return { views: await ViewStore.open(database), dashboards: await DashboardStore.open(database) };
}

/** For actors that can make dashboards or see one. */
async function menuLink(
  rowhouse: Rowhouse,
  { actor, request }: { readonly actor: Actor | null; readonly request: Request },
  { dashboards }: Stores,
): Promise<Link | null> {
  if (!(await rowhouse.permissions.allowed(actor, "view-instance"))) return null;
  if (idOf(actor) === null && (await dashboards.list(null)).length === 0) return null;
  return { label: tOf({ rowhouse, request })("views.dashboards"), href: rowhouse.urls.path("/-/dashboards") };
}

/** The views that the actor may see, of tables that the actor may view, and dashboards. */
async function jumpItems(rowhouse: Rowhouse, actor: Actor | null, stores: Stores): Promise<JumpItem[]> {
  const id = idOf(actor);
  const views = await visibleViews({ rowhouse, actor }, await stores.views.all(id));
  const dashboards = await stores.dashboards.list(id);
  return [
    ...views.map((view) => ({
      kind: "view",
      label: view.name,
      detail: `${view.database}/${view.table}`,
      href: addressOf({ rowhouse }, view),
    })),
    ...dashboards.map((one) => ({
      kind: "dashboard",
      label: one.name,
      detail: null,
      href: pathOf({ rowhouse }, one),
    })),
  ];
}
