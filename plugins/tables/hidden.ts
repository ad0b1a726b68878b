import type { Rowhouse, Table } from "rowhouse/plugin-api";

const STATISTICS = /^sqlite_stat[1-4]$/;

/** Tables that SpatiaLite keeps for itself. */
const SPATIAL = new Set(
  (
    "ElementaryGeometries SpatialIndex geometry_columns spatial_ref_sys spatialite_history sql_statements_log " +
    "sqlite_sequence views_geometry_columns virts_geometry_columns data_licenses KNN KNN2"
  ).split(" "),
);

/**
 * Not shown in listings unless asked for: full-text tables with their shadows, statistics, what the metadata
 * calls `hidden`, and in a spatial database its own tables.
 */
export function isHidden(rowhouse: Rowhouse, database: string, table: Table, isSpatial = false): boolean {
  const metadata = rowhouse.serviceIfAny("metadata")?.current().table(database, table.name);
  if (metadata?.["hidden"] === true) return true;
  if (isFullText(table) || table.shadowOf !== null) return true;
  if (STATISTICS.test(table.name)) return true;
  return isSpatial && (SPATIAL.has(table.name) || table.name.startsWith("idx_"));
}

const isFullText = ({ module }: Table): boolean => module !== null && /^fts[345]/.test(module);
