import {
  definePlugin,
  defineRoute,
  permissionChain,
  withQuery,
  type Link,
  type Request,
  type Rowhouse,
} from "rowhouse/plugin-api";
import { addFilesToPages } from "rowhouse/plugin-api/html";
import { isTablePage, queryPairs } from "rowhouse/plugin-api/http";
import { groupsView } from "./groups-view.js";
import { groupClauses, IN_GROUP } from "./in-group.js";
import { texts, tOf } from "./texts.js";

const groupsRoute = defineRoute({
  name: "groups",
  path: "/:database/:resource{.:format}",
  target: "table",
  when: ({ query }) => query.has("_group") || query.has("_agg"),
  permissions: permissionChain,
  refusal: "You do not have permission to view this table",
  view: groupsView,
});

/** Groups of rows with counts, sums, means and extremes: `_group` and `_agg` on the address of a table or view. */
export default definePlugin({
  name: "grouping",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  requires: ["tables"],
  optional: ["metadata"],
  static: new URL("static/", import.meta.url),
  ...addFilesToPages({ styles: "app.css" }, ({ viewName }) => viewName === "groups"),
  register_routes: () => [groupsRoute],
  filters_from_request: {
    only: { arguments: [IN_GROUP] },
    run: (_rowhouse, { request, database, source }) =>
      groupClauses(request, { database, table: source.table }),
  },
  table_actions: (rowhouse, { request, database, table }) => link(rowhouse, request, database, table),
  view_actions: (rowhouse, { request, database, view }) => link(rowhouse, request, database, view),
  describe_api: async () => (await import("./openapi.js")).api,
});

/** Keeps the filters of the page of the table. */
function link(rowhouse: Rowhouse, request: Request, database: string, table: string): Link {
  const filters = isTablePage(rowhouse.urls, request, [database, table])
    ? queryPairs(request).filter(([name]) => !name.startsWith("_") || FILTERS.test(name))
    : [];
  return {
    href: withQuery(rowhouse.urls.table(database, table), [...filters, ["_group", ""]]),
    label: tOf({ rowhouse, request })("group.link"),
  };
}

const FILTERS = /^_(?:search|where|through|in_group)|__/;
