import { isWord, meaningful, sqlTokens, type SqlToken } from "./tokens.js";

/**
 * The statements of a script for SQLite, for `transaction.run`, which runs one at a time. The statements in the body of a
 * trigger stay in its statement. Comments between statements are part of the next one.
 *
 * @example
 * sqlStatements("create table a (x); create table b (y);"); // ["create table a (x)", "create table b (y)"]
 */
export function sqlStatements(script: string): readonly string[] {
  const statements: string[] = [];
  let tokens: SqlToken[] = [];
  let start = 0;
  const endAt = (end: number): void => {
    if (tokens.length > 0) statements.push(script.slice(start, end).trim());
    tokens = [];
  };
  for (const token of meaningful(sqlTokens(script))) {
    if (isSemicolon(token) && isComplete(tokens)) {
      endAt(token.start);
      start = token.end;
    } else tokens.push(token);
  }
  endAt(script.length);
  return statements;
}

const isSemicolon = (token: SqlToken | undefined): boolean => token?.kind === "symbol" && token.text === ";";

/** True if a semicolon after these tokens ends the statement: in a trigger, only that of `; end;`. */
function isComplete(tokens: readonly SqlToken[]): boolean {
  const [first, second, third] = tokens;
  const kind = isWord(second, "temp", "temporary") ? third : second;
  if (!isWord(first, "create") || !isWord(kind, "trigger")) return true;
  return isSemicolon(tokens.at(-2)) && isWord(tokens.at(-1), "end");
}
