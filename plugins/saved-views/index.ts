import {
  definePlugin,
  permissionChain,
  withQuery,
  type Actor,
  type Link,
  type Permission,
  type Request,
  type Rowhouse,
} from "rowhouse/plugin-api";
import type { JumpItem } from "rowhouse/plugin-api/contracts";
import { visibleItems } from "rowhouse/plugin-api/access";
import { SAVE_VIEW, idOf, viewRoutes } from "./routes.js";
import { ViewStore } from "./store.js";
import { addressOf } from "./views-page.js";

/** Views of tables with a name and an owner, private or shared, in the file of `--internal`. */
export default definePlugin({
  name: "saved-views",
  deterministic: true,
  unguarded: true,
  optional: ["messages"],
  static: new URL("static/", import.meta.url),
  setup(rowhouse) {
    // Views need a file: in memory they would be lost with the process.
    if (rowhouse.option("internal") === undefined) return {};
    let opening: Promise<ViewStore> | null = null;
    const open = (): Promise<ViewStore> => (opening ??= ViewStore.open(rowhouse.database("_internal")));
    return {
      register_permissions: () => permission,
      startup: async () => void (await open()),
      register_routes: () => viewRoutes(open),
      // Reading comes before the actions that change the table.
      table_actions: {
        order: "early",
        run: (_rowhouse, { request, database, table }) => link(rowhouse, request, database, table),
      },
      view_actions: (_rowhouse, { request, database, view }) => link(rowhouse, request, database, view),
      jump_items: async (_rowhouse, { actor }) => jumpItems(rowhouse, actor, await open()),
      extra_js_urls: (_rowhouse, { viewName }) =>
        viewName === "table"
          ? { url: rowhouse.urls.staticPlugin("saved-views", "app.js"), module: true }
          : null,
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

/** Without the page of rows: a view begins at the first one. */
function link({ urls }: Rowhouse, { queryString }: Request, database: string, table: string): Link {
  const query = queryString
    .split("&")
    .filter((part) => part !== "" && !/^_next(?:=|$)/.test(part))
    .join("&");
  const path = `${urls.table(database, table)}/-/views`;
  return { label: "Saved views", href: query === "" ? path : withQuery(path, [["query", query]]) };
}

/** The views that the actor may see, of tables that the actor may view. */
async function jumpItems(rowhouse: Rowhouse, actor: Actor | null, store: ViewStore): Promise<JumpItem[]> {
  const views = (await store.all(idOf(actor))).filter(({ database }) => rowhouse.databases.has(database));
  const seen = await visibleItems(rowhouse.permissions, actor, views, permissionChain);
  return seen.map((view) => ({
    kind: "view",
    label: view.name,
    detail: `${view.database}/${view.table}`,
    href: addressOf({ rowhouse }, view),
  }));
}
