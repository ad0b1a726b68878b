import { WriteRejected } from "rowhouse/plugin-api";
import { meaningful, sqlTokens, unquote, type SqlToken } from "rowhouse/plugin-api/sql";
import { bracketDepths } from "../alter/sql-parts.js";

/**
 * They compare each part of a value with each part of their second argument. With two long values that takes hours, and
 * can't be interrupted.
 */
const SEARCHING: ReadonlySet<string> = new Set([
  "instr",
  "json_patch",
  "ltrim",
  "replace",
  "rtrim",
  "trim",
  "unhex",
]);
const MOST_CHARACTERS = 1_000;

/**
 * Writes run in the server itself, so a function that runs for hours would hold up all of them.
 *
 * @throws WriteRejected for a search function whose second argument is anything but a short text
 */
export function requireShortSearches(sql: string): void {
  const tokens = meaningful(sqlTokens(sql));
  const depths = bracketDepths(tokens);
  for (const [index, token] of tokens.entries()) {
    const name = functionName(token);
    if (name === null || tokens[index + 1]?.text !== "(") continue;
    const second = secondArgument(tokens, depths, index + 1);
    if (second.length === 0) continue;
    const [text] = second;
    if (second.length > 1 || text?.kind !== "text" || text.text.length > MOST_CHARACTERS)
      throw new WriteRejected([
        `The second argument of ${name} must be a text of at most ${MOST_CHARACTERS} characters`,
      ]);
  }
}

function functionName({ kind, text }: SqlToken): string | null {
  if (kind !== "word" && kind !== "name") return null;
  // The variant for binary JSON takes as long.
  const name = unquote(text)
    .toLowerCase()
    .replace(/^jsonb(?=_)/, "json");
  return SEARCHING.has(name) ? name : null;
}

/** The tokens of the second argument of a call; none if it has one argument. @param open the index of its bracket */
function secondArgument(
  tokens: readonly SqlToken[],
  depths: readonly number[],
  open: number,
): readonly SqlToken[] {
  const inner = (depths[open] ?? 0) + 1;
  const second: SqlToken[] = [];
  let commas = 0;
  for (let at = open + 1; at < tokens.length && (depths[at] ?? 0) >= inner; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    if (token.text === "," && depths[at] === inner) commas += 1;
    else if (commas === 1) second.push(token);
  }
  return second;
}
