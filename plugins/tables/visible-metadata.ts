import type { MetadataBlock, Table } from "rowhouse/plugin-api";

/** Keys whose value is a column. */
const ONE_COLUMN = ["sort", "sort_desc", "label_column"] as const;
/** Keys whose value has an entry for each of some columns. */
const BY_COLUMN = ["columns", "units"] as const;

/**
 * A table's metadata without what it says of columns that are hidden: of those that `table` has and `shown` has
 * not. What it says of columns that nobody has stays, for the mistake it is.
 */
export function visibleMetadata(block: MetadataBlock, table: Table, shown: Table): MetadataBlock {
  if (shown.columns.length === table.columns.length) return block;
  const left = new Set(shown.columns.map(({ name }) => name));
  const hidden = new Set(table.columns.map(({ name }) => name).filter((name) => !left.has(name)));
  const kept = Object.entries(block).filter(
    ([key, value]) => !(ONE_COLUMN.some((one) => one === key) && hidden.has(String(value))),
  );
  return Object.fromEntries(
    kept.map(([key, value]) => [key, BY_COLUMN.some((one) => one === key) ? without(value, hidden) : value]),
  );
}

const without = (value: unknown, hidden: ReadonlySet<string>): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([column]) => !hidden.has(column)))
    : value;
