import {
  bundledHooks,
  bundledSettings,
  definePlugin,
  permissionChain,
  tildeDecode,
} from "rowhouse/plugin-api";
import type { Actor, Database, Request, Route, Rowhouse, SqlValue, Target, Table } from "rowhouse/plugin-api";
import { viewable } from "./read-scopes.js";
import { countTable, knownCounts } from "./count.js";
import { inheritSourcePermissions } from "./derived-tables.js";
import { filteredRows } from "./column-filters.js";
import { labelColumn, lookUpLabels } from "./labels.js";
import { cached } from "./version-cache.js";
import { rowView } from "./row-view.js";
import { readable, readableTables, withBarrier } from "./readable.js";
import { describableTables } from "./describable.js";
import { tableView } from "./table-view.js";

const REFUSAL = "You do not have permission to view this table";

const tableRoute: Route = {
  name: "table",
  path: "/:database/:resource{.:format}",
  target: "table",
  permissions: permissionChain,
  refusal: REFUSAL,
  view: tableView,
};

const rowRoute: Route = {
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
  optional: ["metadata"],
  hooks: bundledHooks.tables,
  settings: bundledSettings.tables,
  apply(rowhouse) {
    rowhouse.provide("tables", {
      labelColumn: (database, table) => labelColumn(rowhouse, database, table),
      labels: (actor, database, question) => labels(rowhouse, { actor, database, ...question }),
      isHidden: (database, table) => isHidden(rowhouse, database, table),
      count: (database, table, timeLimitMs, sinceMs) =>
        countTable(rowhouse, database, table, { timeLimitMs, sinceMs }),
      knownCounts,
      cached,
      filtered: (actor, database, table, filters) =>
        filteredRows(rowhouse, { actor, database, table, filters }),
      readable: async (actor, database, table) =>
        withBarrier(rowhouse, actor, database, await readable(rowhouse, actor, database, table)),
      readableMany: (actor, database, tables) => readableTables(rowhouse, { actor, database, tables }),
      describable: (actor, database, tables) => describableTables(rowhouse, { actor, database, tables }),
      viewable: (actor, database, tables) => viewable(rowhouse, actor, database, tables),
    });
  },
  register_routes: () => [tableRoute, rowRoute],
  permission_allowed_many: inheritSourcePermissions,
  locate_resource: locate,
});

/**
 * Locates a table, a view or one of its rows. Hidden columns are removed here, so that no view of any plugin can show
 * one by mistake. Null if no table has this name.
 */
async function locate(
  rowhouse: Rowhouse,
  { database, name, key, actor }: ResourceName,
): Promise<Target | null> {
  const whole = (await database.schema()).tables.get(name);
  if (whole === undefined) return null;
  const { table } = await readable(rowhouse, actor, database, whole);
  if (key === null) return { kind: "table", database, table };
  const parts = key.split(",").map(tildeDecode);
  return { kind: "row", database, table, key: parts };
}

interface ResourceName {
  readonly database: Database;
  readonly name: string;
  readonly key: string | null;
  readonly actor: Actor | null;
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
  const allowed = await viewable(rowhouse, actor, database, [otherTable]);
  if (!allowed.has(otherTable)) return null;
  const question = { rowhouse, actor, database, request: request ?? null };
  return lookUpLabels(question, otherTable, otherColumn, values);
}

const STATISTICS = /^sqlite_stat[1-4]$/;

/** Internal tables of SpatiaLite. */
const SPATIAL = new Set(
  (
    "ElementaryGeometries SpatialIndex geometry_columns spatial_ref_sys spatialite_history sql_statements_log " +
    "sqlite_sequence views_geometry_columns virts_geometry_columns data_licenses KNN KNN2"
  ).split(" "),
);

/**
 * True for tables that listings hide by default: full-text tables and their shadow tables, statistics, tables marked
 * `hidden` in the metadata, and the internal tables of a spatial database.
 */
export function isHidden(rowhouse: Rowhouse, database: string, table: Table, isSpatial = false): boolean {
  const metadata = rowhouse.serviceIfAny("metadata")?.current().table(database, table.name);
  if (metadata?.["hidden"] === true) return true;
  if (isFullText(table) || table.shadowOf !== null) return true;
  if (STATISTICS.test(table.name)) return true;
  return isSpatial && (SPATIAL.has(table.name) || table.name.startsWith("idx_"));
}

const isFullText = ({ module }: Table): boolean => module !== null && /^fts[345]/.test(module);
