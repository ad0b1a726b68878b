import { jsonString, realJson } from "rowhouse/plugin-api/json";
import type { JsonArguments } from "./arguments.js";

type Numbers = Pick<JsonArguments, "infinity" | "bigintText">;

/**
 * Rewrites JSON text of a column to the format of our documents: same spacing, ASCII only, exact integers.
 *
 * @returns the text in pieces of some hundred values; null if it is not JSON
 */
export function rewrittenJson(text: string, numbers: Numbers): Iterable<string> | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  return rewritten(text, numbers);
}

const TEXTS_PER_PIECE = 1_000;

/**
 * Finds the ends of strings with a loop, because a regular expression overflows the stack on long strings. Correct only
 * for text that JSON.parse accepts.
 */
function* rewritten(text: string, numbers: Numbers): Generator<string, void> {
  const tokens = /-?\d[\d.eE+-]*|[a-z]+|[[\]{},:"]/g;
  let texts: string[] = [];
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (token[0] === '"') {
      tokens.lastIndex = stringEnd(text, token.index);
      const value: unknown = JSON.parse(text.slice(token.index, tokens.lastIndex));
      texts.push(jsonString(String(value)));
    } else {
      texts.push(tokenText(token[0], numbers));
    }
    if (texts.length < TEXTS_PER_PIECE) continue;
    yield texts.join("");
    texts = [];
  }
  yield texts.join("");
}

/** The position after the closing quote of the string that begins at `start`. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, place: number): boolean {
  let first = place;
  while (text[first - 1] === "\\") first -= 1;
  return (place - first) % 2 === 1;
}

function tokenText(token: string, numbers: Numbers): string {
  if (token === ",") return ", ";
  if (token === ":") return ": ";
  if (!/^-?\d/.test(token)) return token;
  if (/[.eE]/.test(token)) return realJson(Number(token), numbers.infinity);
  return numbers.bigintText && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
}
