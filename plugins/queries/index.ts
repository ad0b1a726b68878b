import {
  definePlugin,
  permissionChain,
  type Actor,
  type Database,
  type RouteFor,
  type Rowhouse,
  type Target,
} from "rowhouse/plugin-api";
import { bundledHooks, type CannedQuery } from "rowhouse/plugin-api/contracts";
import { currentMetadata } from "rowhouse/plugin-api/metadata";
import { cannedView } from "./canned-view.js";
import { denyExecuteSql } from "./deny-execute-sql.js";
import { bundledMagic } from "./magic-parameters.js";
import { sqlPlaces } from "./sql-places.js";
import { sqlView } from "./sql-view.js";
import { texts } from "./texts.js";
import { writeView } from "./write-view.js";

const customSql: RouteFor<"database"> = {
  name: "sql",
  path: "/:database{.:format}",
  target: "database",
  when: ({ query }) => (query.get("sql") ?? "") !== "",
  permissions: permissionChain,
  refusal: "You do not have permission to view this database",
  view: sqlView,
};

const cannedQuery: RouteFor<"query"> = {
  name: "query",
  path: "/:database/:resource{.:format}",
  target: "query",
  permissions: permissionChain,
  refusal: "You do not have permission to view this query",
  view: cannedView,
};

const writeQuery: RouteFor<"query"> = {
  ...cannedQuery,
  name: "write-query",
  method: "POST",
  view: writeView,
};

/** SQL queries: custom SQL from the URL, and canned queries. */
export default definePlugin({
  name: "queries",
  deterministic: true,
  unguarded: true,
  provides: ["queries"],
  requires: ["confinement", "rowAccess", "tables"],
  optional: ["advice", "events", "messages", "metadata", "writeErrors"],
  hooks: bundledHooks.queries,
  register_texts: () => texts,
  setup: (rowhouse) =>
    rowhouse.provide("queries", {
      cannedQueries: (database, actor) => cannedQueries(rowhouse, database, actor),
    }),
  permission_allowed_many: { only: { actions: ["execute-sql"] }, run: denyExecuteSql },
  register_routes: () => [customSql, cannedQuery, writeQuery],
  register_magic_parameters: () => bundledMagic,
  // A wrong parameter stops the start and not each canned query. Others may need what their own `startup` makes.
  startup: {
    order: "last",
    run: async (rowhouse) => void (await rowhouse.hooks.register_magic_parameters.promise([], rowhouse, {})),
  },
  jump_items: sqlPlaces,
  // Rows of queries have no URLs.
  locate_resource: (rowhouse, { database, name, key, actor }) =>
    key === null ? locateQuery(rowhouse, actor, database, name) : null,
  describe_api: async () => (await import("./openapi.js")).api,
});

async function locateQuery(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
  name: string,
): Promise<Target | null> {
  const query = (await cannedQueries(rowhouse, database.name, actor)).get(name);
  return query === undefined ? null : { kind: "query", database, query };
}

/** All canned queries of a database by name. Queries of plugins override equal names of the metadata. */
async function cannedQueries(
  rowhouse: Rowhouse,
  database: string,
  actor: Actor | null,
): Promise<ReadonlyMap<string, CannedQuery>> {
  const configured = currentMetadata(rowhouse).queries(database);
  const added = await rowhouse.hooks.canned_queries.promise([], rowhouse, { database, actor });
  const queries = new Map<string, CannedQuery>();
  for (const [name, query] of [
    ...Object.entries(configured),
    ...added.flatMap((one) => Object.entries(one)),
  ]) {
    const block: Readonly<Record<string, unknown>> =
      typeof query === "string" ? { sql: query } : ((query as typeof query | null | undefined) ?? {});
    const { sql } = block;
    if (typeof sql === "string") queries.set(name, { ...block, sql, name });
  }
  return queries;
}
