import {
  definePlugin,
  permissionChain,
  type Actor,
  type Database,
  type Request,
  type RouteFor,
  type Rowhouse,
  type Schema,
  type SqlValue,
  type Target,
} from "rowhouse/plugin-api";
import { bundledHooks, bundledSettings } from "rowhouse/plugin-api/contracts";
import { tildeDecode } from "rowhouse/plugin-api/http";
import { filteredRows } from "./column-filters.js";
import { countTable, countTables } from "./table-counts.js";
import { underCurrentSchema } from "./current-schema.js";
import { isHidden } from "./hidden-tables.js";
import { labelColumn, lookUpLabels } from "./labels.js";
import { rowView } from "./row-view.js";
import { selectRows, tableView } from "./table-view.js";
import { cached, limitResults } from "./version-cache.js";

const REFUSAL = "You do not have permission to view this table";

const tableRoute: RouteFor<"table"> = {
  name: "table",
  path: "/:database/:resource{.:format}",
  target: "table",
  permissions: permissionChain,
  refusal: REFUSAL,
  view: tableView,
};

const rowRoute: RouteFor<"row"> = {
  name: "row",
  path: "/:database/:resource/:key{.:format}",
  target: "row",
  permissions: permissionChain,
  refusal: REFUSAL,
  view: rowView,
};

/** Rows of tables and views: pages, single rows, labels, counts. */
export default definePlugin({
  name: "tables",
  deterministic: true,
  unguarded: true,
  provides: ["tables"],
  requires: ["rowAccess"],
  optional: ["columnTypes", "metadata"],
  hooks: bundledHooks.tables,
  settings: bundledSettings.tables,
  setup(rowhouse) {
    limitResults(rowhouse.setting("result_cache_kb") * 1024);
    rowhouse.provide("tables", {
      labelColumn: (database, table) => labelColumn(rowhouse, database, table),
      labels: (actor, database, question) => labels(rowhouse, { actor, database, ...question }),
      isHidden: (database, table) => isHidden(rowhouse, database, table),
      count: (database, table, timeLimitMs, sinceMs) =>
        countTable(rowhouse, database, table, { timeLimitMs, sinceMs }),
      counts: (database, tables, sinceMs) => countTables(rowhouse, database, tables, sinceMs),
      cached,
      filtered: (database, source, filters) => filteredRows(rowhouse, database, source, filters),
      select: selectRows,
      viewable: (...args) => rowhouse.service("rowAccess").viewable(...args),
    });
  },
  register_routes: () => [underCurrentSchema(tableRoute), underCurrentSchema(rowRoute)],
  locate_resource: locate,
  describe_api: async () => (await import("./openapi.js")).api,
});

/**
 * Locates a table, a view or one of its rows. Hidden columns are removed here, so that no view of any plugin can show
 * one by mistake. Null if no table has this name.
 */
async function locate(
  rowhouse: Rowhouse,
  { database, name, key, actor, forWrite = false }: ResourceName,
): Promise<Target | null> {
  const schema = await schemaFor(database, name, forWrite && key === null);
  const whole = schema.tables.get(name);
  if (whole === undefined) return null;
  const source = await rowhouse.service("rowAccess").readable(actor, database, whole);
  const { table } = source;
  return key === null
    ? { kind: "table", database, table, source, schema }
    : { kind: "row", database, table, source, schema, key: key.split(",").map(tildeDecode) };
}

/**
 * The schema in which to look up a name. Reading the current one from the file would have to wait for a commit in progress,
 * so writes to a table use the last known one. What is refused without a write is looked up in the current schema: views,
 * names that do not exist, and rows, which are read by their key.
 */
async function schemaFor(database: Database, name: string, forTableWrite: boolean): Promise<Schema> {
  const { lastSchema } = database;
  const known = forTableWrite ? lastSchema?.tables.get(name) : undefined;
  const isUsable = lastSchema !== null && known !== undefined && known.kind !== "view";
  return isUsable ? lastSchema : database.schema();
}

interface ResourceName {
  readonly database: Database;
  readonly name: string;
  readonly key: string | null;
  readonly actor: Actor | null;
  readonly forWrite?: boolean;
}

interface LabelsRequest {
  readonly actor: Actor | null;
  readonly database: Database;
  readonly otherTable: string;
  readonly otherColumn: string;
  readonly values: readonly SqlValue[];
  readonly request?: Request;
}

async function labels(
  rowhouse: Rowhouse,
  { actor, database, otherTable, otherColumn, values, request }: LabelsRequest,
): Promise<ReadonlyMap<string, SqlValue> | null> {
  const allowed = await rowhouse.service("rowAccess").viewable(actor, database, [otherTable]);
  if (!allowed.has(otherTable)) return null;
  const question = { rowhouse, actor, database, request: request ?? null };
  return lookUpLabels(question, otherTable, otherColumn, values);
}
