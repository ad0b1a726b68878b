/** If the names are longer than this, the editor completes only keywords: the page would get too large. */
const MOST_CHARACTERS = 30_000;

/**
 * Columns by table as JSON, for completion in the SQL editor. Column names are left out if there are too many.
 */
export function schemaJson(columns: ReadonlyMap<string, readonly string[]>): string {
  const all = JSON.stringify(Object.fromEntries(columns));
  if (all.length <= MOST_CHARACTERS) return all;
  const tables = JSON.stringify(Object.fromEntries([...columns.keys()].map((table) => [table, []])));
  return tables.length <= MOST_CHARACTERS ? tables : "{}";
}
