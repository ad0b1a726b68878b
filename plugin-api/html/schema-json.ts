/** In characters. The page would get too large with more. */
const LONGEST = 30_000;

/**
 * The attribute `data-schema` of a field for SQL, whose editor completes names: the columns of each table as JSON.
 * Without columns, or even tables, if there are too many.
 *
 * @example
 * schemaJson(new Map([["books", ["id", "title"]]])); // '{"books":["id","title"]}'
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
    if (characters >= LONGEST) return null;
    members.push(member);
  }
  return `{${members.join(",")}}`;
}
