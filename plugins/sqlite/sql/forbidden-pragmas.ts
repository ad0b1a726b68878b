import { meaningful, sqlTokens, type SqlToken } from "rowhouse/plugin-api/sql";

/** Pragma functions that read the schema and change nothing. */
const ALLOWED_PRAGMAS = [
  "database_list",
  "foreign_key_list",
  "function_list",
  "index_info",
  "index_list",
  "index_xinfo",
  "page_count",
  "max_page_count",
  "page_size",
  "schema_version",
  "table_info",
  "table_xinfo",
] as const;

/** Why untrusted SQL is rejected: it names a pragma that is not allowed. Null for other SQL. */
export function refusal(sql: string): string | null {
  if (!meaningful(sqlTokens(sql)).some(namesForbiddenPragma)) return null;
  const allowed = ALLOWED_PRAGMAS.map((name) => `pragma_${name}()`).join(", ");
  return `Statement contained a disallowed PRAGMA. Allowed pragma functions are ${allowed}`;
}

const PRAGMA_IN_NAME = new RegExp(`pragma(?!_(?:${ALLOWED_PRAGMAS.join("|")}))`, "i");
const WHOLE_PRAGMA_FUNCTION = /^'pragma_\w+'$/i;

function namesForbiddenPragma({ kind, text }: SqlToken): boolean {
  if (kind === "word" || kind === "name") return PRAGMA_IN_NAME.test(text);
  // SQLite accepts a string literal in place of a table name.
  return kind === "text" && WHOLE_PRAGMA_FUNCTION.test(text) && PRAGMA_IN_NAME.test(text);
}
