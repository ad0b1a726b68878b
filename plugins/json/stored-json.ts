import { jsonString, realJson } from "rowhouse/plugin-api/json";
import type { JsonArguments } from "./arguments.js";

type Numbers = Pick<JsonArguments, "infinity" | "bigintText">;

/**
 * Rewrites JSON text of a column to the format of our documents: same spacing, ASCII only, exact integers.
 *
 * @returns null if the text is not JSON, or if a number can't be converted
 */
export function rewriteJson(text: string, numbers: Numbers): string | null {
  try {
    JSON.parse(text);
    return rewritten(text, numbers);
  } catch {
    return null;
  }
}

/**
 * Finds strings with a loop, because a regular expression overflows the stack on long strings. Correct only for text
 * that JSON.parse accepts.
 */
function rewritten(text: string, numbers: Numbers): string {
  const pieces: string[] = [];
  let at = 0;
  for (let quote = text.indexOf('"'); quote !== -1; quote = text.indexOf('"', at)) {
    const end = stringEnd(text, quote);
    const value: unknown = JSON.parse(text.slice(quote, end));
    pieces.push(betweenStrings(text.slice(at, quote), numbers), jsonString(String(value)));
    at = end;
  }
  pieces.push(betweenStrings(text.slice(at), numbers));
  return pieces.join("");
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

const TOKENS = /-?\d[\d.eE+-]*|[a-z]+|[[\]{},:]/g;

const betweenStrings = (text: string, numbers: Numbers): string =>
  (text.match(TOKENS) ?? []).map((token) => tokenText(token, numbers)).join("");

function tokenText(token: string, numbers: Numbers): string {
  if (token === ",") return ", ";
  if (token === ":") return ": ";
  if (!/^-?\d/.test(token)) return token;
  if (/[.eE]/.test(token)) return realJson(Number(token), numbers.infinity);
  return numbers.bigintText && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token;
}
