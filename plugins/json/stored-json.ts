import { jsonString, realJson } from "rowhouse/plugin-api";
import type { InfinityForm } from "rowhouse/plugin-api";

// Sound only for text that JSON.parse has accepted.
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{},:]/g;

/**
 * JSON text found in a column, in wire form: our spacing, ASCII only, integers digit for digit.
 *
 * @returns null when the text is not JSON
 */
export function wireForm(text: string, infinity: InfinityForm): string | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  const tokens = text.match(TOKENS) ?? [];
  return tokens.map((token) => tokenText(token, infinity)).join("");
}

function tokenText(token: string, infinity: InfinityForm): string {
  if (token === ",") return ", ";
  if (token === ":") return ": ";
  if (token.startsWith('"')) return jsonString(String(JSON.parse(token)));
  const isReal = /^-?\d/.test(token) && /[.eE]/.test(token);
  return isReal ? realJson(Number(token), infinity) : token;
}
