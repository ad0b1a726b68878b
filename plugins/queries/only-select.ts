import type { Dialect } from "rowhouse/plugin-api/engine";
import { InvalidSql } from "rowhouse/plugin-api/errors";
import { meaningful, sqlTokens, type SqlToken } from "rowhouse/plugin-api/sql";

/**
 * Checks untrusted SQL before it runs: it must begin like a SELECT, and the engine may reject it. The
 * read-only connection enforces that it does not write.
 *
 * @throws InvalidSql with the published message
 */
export function requireSelect(dialect: Dialect, sql: string): void {
  const tokens = meaningful(sqlTokens(sql));
  if (!startsLikeSelect(tokens)) throw new InvalidSql("Statement must be a SELECT");
  const refusal = dialect.refusal(sql);
  if (refusal !== null) throw new InvalidSql(refusal);
}

/** True if `requireSelect` accepts the statement. */
export function isSelect(dialect: Dialect, sql: string): boolean {
  try {
    requireSelect(dialect, sql);
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
