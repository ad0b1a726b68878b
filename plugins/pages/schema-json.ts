/** Names beyond this size would weigh more than the page; the editor then completes keywords only. */
const MOST_CHARACTERS = 30_000;

/** Columns by table for the SQL editor's completion, as JSON; column names are left out where there are too many. */
export function schemaJson(columns: ReadonlyMap<string, readonly string[]>): string {
  const all = JSON.stringify(Object.fromEntries(columns));
  if (all.length <= MOST_CHARACTERS) return all;
  const tables = JSON.stringify(Object.fromEntries([...columns.keys()].map((table) => [table, []])));
  return tables.length <= MOST_CHARACTERS ? tables : "{}";
}
