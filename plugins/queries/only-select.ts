import { InvalidSql } from "rowhouse/plugin-api/errors";
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

/**
 * Checks untrusted SQL before it runs: it must begin like a SELECT and name only allowed pragmas. The read-only
 * connection enforces that it does not write.
 *
 * @throws InvalidSql with the published message
 */
export function requireSelect(sql: string): void {
  const tokens = meaningful(sqlTokens(sql));
  if (!startsLikeSelect(tokens)) throw new InvalidSql("Statement must be a SELECT");
  if (tokens.some(namesForbiddenPragma)) {
    const allowed = ALLOWED_PRAGMAS.map((name) => `pragma_${name}()`).join(", ");
    throw new InvalidSql(`Statement contained a disallowed PRAGMA. Allowed pragma functions are ${allowed}`);
  }
}

/** True if `requireSelect` accepts the statement. */
export function isSelect(sql: string): boolean {
  try {
    requireSelect(sql);
    return true;
  } catch (error) {
    if (error instanceof InvalidSql) return false;
    throw error;
  }
}

function startsLikeSelect(tokens: readonly SqlToken[]): boolean {
  const words = tokens.slice(0, 4).map(({ kind, text }) => (kind === "word" ? text.toLowerCase() : ""));
  const [first, second, third, fourth] = words;
  if (first !== "explain") return isOpening(first);
  return second === "query" ? third === "plan" && isOpening(fourth) : isOpening(second);
}

const isOpening = (word: string | undefined): boolean => word === "select" || word === "with";

const PRAGMA_IN_NAME = new RegExp(`pragma(?!_(?:${ALLOWED_PRAGMAS.join("|")}))`, "i");
const WHOLE_PRAGMA_FUNCTION = /^'pragma_\w+'$/i;

function namesForbiddenPragma({ kind, text }: SqlToken): boolean {
  if (kind === "word" || kind === "name") return PRAGMA_IN_NAME.test(text);
  // SQLite accepts a string literal in place of a table name.
  return kind === "text" && WHOLE_PRAGMA_FUNCTION.test(text) && PRAGMA_IN_NAME.test(text);
}
