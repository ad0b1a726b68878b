import { isWord, meaningful, sqlTokens, unquote, type SqlToken } from "./tokens.js";

/** A CHECK of a table, of one of its columns or of all. */
export interface TableCheck {
  /** Null for a CHECK without a name. */
  readonly name: string | null;
  /** The SQL between the brackets. */
  readonly expression: string;
}

/**
 * The CHECK constraints in a CREATE TABLE statement.
 *
 * @example
 * tableChecks("create table t (a integer check (a > 0))"); // [{ name: null, expression: "a > 0" }]
 */
export function tableChecks(sql: string): readonly TableCheck[] {
  const tokens = meaningful(sqlTokens(sql));
  const found: TableCheck[] = [];
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.text === ")") depth -= 1;
    if (token.text === "(") depth += 1;
    const open = tokens[index + 1];
    if (depth !== 1 || !isWord(token, "check") || open?.text !== "(") continue;
    const isNamed = isWord(tokens[index - 2], "constraint");
    found.push({
      name: isNamed ? unquote(tokens[index - 1]?.text ?? "") : null,
      expression: sql.slice(open.end, closeOf(tokens, index + 1)).trim(),
    });
  }
  return found;
}

/**
 * Two expressions of the same tokens are the same, whatever is between them.
 *
 * @example
 * sameExpression("a>0", "A > 0"); // true
 */
export function sameExpression(left: string, right: string): boolean {
  const [one, other] = [left, right].map((sql) => {
    const tokens = meaningful(sqlTokens(sql));
    return tokens.map(({ kind, text }) => (kind === "word" ? text.toLowerCase() : text)).join(" ");
  });
  return one === other;
}

/** The offset of the bracket that closes the one at this index. */
function closeOf(tokens: readonly SqlToken[], from: number): number {
  let depth = 0;
  for (const { text, start, end } of tokens.slice(from)) {
    if (text === "(") depth += 1;
    if (text === ")") depth -= 1;
    if (depth === 0) return start;
    if (tokens.at(-1)?.start === start) return end;
  }
  return 0;
}
