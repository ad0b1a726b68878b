import type { Database, Rowhouse, Table } from "rowhouse/plugin-api";
import { currentMetadata } from "rowhouse/plugin-api/metadata";

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
export function isHidden(rowhouse: Rowhouse, database: string, table: Table): boolean {
  const metadata = currentMetadata(rowhouse).table(database, table.name);
  if (metadata["hidden"] === true) return true;
  if (isFullText(table) || table.shadowOf !== null) return true;
  if (STATISTICS.test(table.name)) return true;
  const isInternal = SPATIAL.has(table.name) || table.name.startsWith("idx_");
  return isInternal && isSpatial(rowhouse.databases.get(database));
}

/** True for a database that SpatiaLite has prepared. */
const isSpatial = (database: Database | undefined): boolean =>
  database?.lastSchema?.tables.has("geometry_columns") === true;

const isFullText = ({ module }: Table): boolean => module !== null && /^fts[345]/.test(module);
