import type { MetadataBlock } from "./contracts/metadata.js";
import type { Schema, Table } from "./schema.js";

/** Keys whose value is a column. */
const ONE_COLUMN: ReadonlySet<string> = new Set(["sort", "sort_desc", "label_column"]);
/** Keys whose value has an entry for each of some columns. */
const BY_COLUMN: ReadonlySet<string> = new Set(["columns", "units", "column_types"]);
/** Keys whose value is a list of columns, or of objects that name one. */
const LISTS: ReadonlySet<string> = new Set(["facets", "sortable_columns"]);

/**
 * A table's metadata without what it says of columns that are hidden: of those that the table has and `shown` has
 * not. What it says of columns that nobody has stays, for the mistake it is.
 */
export function visibleMetadata(block: MetadataBlock, { tables }: Schema, shown: Table): MetadataBlock {
  const table = tables.get(shown.name);
  if (table === undefined || shown.columns.length === table.columns.length) return block;
  const left = new Set(shown.columns.map(({ name }) => name));
  const hidden = new Set(table.columns.flatMap(({ name }) => (left.has(name) ? [] : [name.toLowerCase()])));
  return Object.fromEntries(
    Object.entries(block).flatMap(([key, value]): [string, unknown][] => {
      if (ONE_COLUMN.has(key) && mentions(value, hidden)) return [];
      if (BY_COLUMN.has(key)) return [[key, withoutKeys(value, hidden)]];
      if (LISTS.has(key) && Array.isArray(value)) {
        return [[key, value.filter((item: unknown) => !mentions(item, hidden))]];
      }
      return [[key, value]];
    }),
  );
}

/** Is the value one of these names (in lower case), or an object with one in it? */
const mentions = (value: unknown, names: ReadonlySet<string>): boolean =>
  typeof value === "object" && value !== null
    ? Object.values(value).some((item) => mentions(item, names))
    : names.has(String(value).toLowerCase());

const withoutKeys = (value: unknown, names: ReadonlySet<string>): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([key]) => !names.has(key.toLowerCase())))
    : value;
