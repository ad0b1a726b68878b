import type { MetadataBlock } from "rowhouse/plugin-api";
import type { UnitsOfTable } from "./column-filters.js";
import { customUnits } from "./units.js";

/** The units of a table's columns, from its metadata block and the document's `custom_units`. */
export function unitsOfTable(table: MetadataBlock, document: MetadataBlock = {}): UnitsOfTable {
  const units = table["units"];
  if (typeof units !== "object" || units === null) return NO_UNITS;
  return {
    byColumn: new Map(Object.entries(units).map(([column, unit]) => [column, String(unit)])),
    custom: customUnits(document["custom_units"]),
  };
}

const NO_UNITS: UnitsOfTable = { byColumn: new Map(), custom: new Map() };
