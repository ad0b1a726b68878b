import { Real } from "./values.js";

// A string or a number; strings are matched so that digits inside them are left alone.
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON without losing digits: an integer is a `number` when that is exact and a `bigint` otherwise, a
 * number written with a point or an exponent is a {@link Real}.
 *
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith('"')) return token.startsWith('"\\u0000') ? `"\\u0000${token.slice(1)}` : token;
    return isPlainInteger(token) ? token : `"\\u0000${token}"`;
  });
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === "string" && value.startsWith("\0") ? unmarked(value.slice(1)) : value,
  );
}

const isPlainInteger = (token: string): boolean =>
  token.length < 16 && /^-?\d+$/.test(token) && token !== "-0";

function unmarked(text: string): unknown {
  if (text.startsWith("\0")) return text;
  if (!/^-?\d+$/.test(text)) return new Real(Number(text));
  const exact = BigInt(text);
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : exact;
}
