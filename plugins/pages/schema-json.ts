/** If the names are longer than this, the editor completes only keywords: the page would get too large. */
const MOST_CHARACTERS = 30_000;

/**
 * Columns by table as JSON, for completion in the SQL editor. Column names are left out if there are too many.
 */
export function schemaJson(columns: ReadonlyMap<string, readonly string[]>): string {
  return objectJson(columns) ?? objectJson(new Map([...columns.keys()].map((table) => [table, []]))) ?? "{}";
}

/** Null if it is too long. Thousands of tables are not written to find that out. */
function objectJson(columns: ReadonlyMap<string, readonly string[]>): string | null {
  const members: string[] = [];
  let characters = 0;
  for (const [table, names] of columns) {
    const member = `${JSON.stringify(table)}:${JSON.stringify(names)}`;
    characters += member.length + 1;
    if (characters >= MOST_CHARACTERS) return null;
    members.push(member);
  }
  return `{${members.join(",")}}`;
}
