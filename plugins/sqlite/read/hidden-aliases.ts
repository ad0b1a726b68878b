import type { Connection } from "../open/connection.js";
import { randomName } from "../sql/random-name.js";
import { singleStatement, type Statement } from "../sql/statement.js";
import { foldedName, wordOf, type Token } from "../sql/tokens.js";
import type { Query } from "./query.js";
import { isNaming } from "./schema-names.js";
import { definesCte } from "./view-barriers.js";

/**
 * The statement with other aliases, if aliases are names of hidden tables. An alias means the same under a name that no
 * table has. If it were refused, the refusal would disclose that the table exists.
 */
export async function withoutHiddenAliases(
  connection: Connection,
  { statement, limits }: Pick<Query, "statement" | "limits">,
  isHidden: (name: string) => boolean,
): Promise<Statement> {
  const hidden = [...new Set(statement.tokens.filter(isNaming).map(foldedName))].filter(isHidden);
  const compiles = ({ sql }: Statement): Promise<boolean> =>
    connection.check(sql, limits).then(
      () => true,
      () => false,
    );
  const all = renamed(statement, hidden);
  if (hidden.length === 0 || (await compiles(all))) return all;
  let current = statement;
  for (const name of hidden) {
    const other = renamed(current, [name]);
    if (await compiles(other)) current = other;
  }
  return current;
}

/** Gives each of the names another one that no table has. */
function renamed(statement: Statement, names: readonly string[]): Statement {
  if (names.length === 0) return statement;
  const others = new Map(names.map((name) => [name, randomName()]));
  let text = "";
  let copied = 0;
  for (const token of statement.tokens) {
    const other = isNaming(token) ? others.get(foldedName(token)) : undefined;
    if (other === undefined) continue;
    const quote = token.kind === "string" ? "'" : token.kind === "quoted-name" ? '"' : "";
    text += statement.sql.slice(copied, token.start) + quote + other + quote;
    copied = token.end;
  }
  return singleStatement(text + statement.sql.slice(copied));
}

/**
 * The names after FROM and JOIN that are not common table expressions. SQLite looks them up, except in conditions that it
 * leaves out, such as `0 and exists (...)`.
 */
export function namesAfterFrom({ tokens }: Statement): readonly string[] {
  const expressions = new Set(tokens.filter((_, index) => definesCte(tokens, index)).map(foldedName));
  const found = tokens.filter((_, index) => isAfterFrom(tokens, index)).map(foldedName);
  return found.filter((name) => !expressions.has(name));
}

function isAfterFrom(tokens: readonly Token[], index: number): boolean {
  const [token, next] = tokens.slice(index, index + 2);
  // A schema or a function with arguments.
  if (token === undefined || !isNaming(token) || next?.text === "." || next?.kind === "open") return false;
  if (SUBQUERIES.has(wordOf(token))) return false;
  let before = index - 1;
  while (tokens[before]?.kind === "open") before -= 1;
  const word = wordOf(tokens[before]);
  // The other FROM is a comparison: `is distinct from`.
  return word === "join" || (word === "from" && wordOf(tokens[before - 1]) !== "distinct");
}

const SUBQUERIES: ReadonlySet<string> = new Set(["select", "values", "with"]);
