import type { Dialect } from "rowhouse/plugin-api/engine";
import { InvalidSql } from "rowhouse/plugin-api/errors";
import { meaningful, sqlTokens, type SqlToken } from "rowhouse/plugin-api/sql";

/**
 * Why untrusted SQL may not run, with the published message; null if it may: it must begin like a SELECT, and the engine
 * may refuse it. The read-only connection enforces that it does not write.
 */
export function selectError(dialect: Dialect, sql: string): InvalidSql | null {
  const tokens = meaningful(sqlTokens(sql));
  if (!startsLikeSelect(tokens)) return new InvalidSql("Statement must be a SELECT");
  const refusal = dialect.refusal(sql);
  return refusal === null ? null : new InvalidSql(refusal);
}

function startsLikeSelect(tokens: readonly SqlToken[]): boolean {
  const words = tokens.slice(0, 4).map(({ kind, text }) => (kind === "word" ? text.toLowerCase() : ""));
  const [first, second, third, fourth] = words;
  if (first !== "explain") return isOpening(first);
  return second === "query" ? third === "plan" && isOpening(fourth) : isOpening(second);
}

const isOpening = (word: string | undefined): boolean => word === "select" || word === "with";
