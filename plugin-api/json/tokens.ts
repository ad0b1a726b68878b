/** A token of formatted JSON. `space` includes line breaks and indentation. */
export interface JsonToken {
  readonly kind: "key" | "text" | "value" | "symbol" | "space";
  readonly text: string;
}

// A text without an end extends to the end of the JSON. A repeated group with alternatives would need memory for each escape.
const TOKEN = /"[^]*?(?:(?<!\\)(?:\\\\)*"|$)|[[\]{},:]|[^\s"[\]{},:]+/g;
const INDENT = "  ";
/** Deeper members are indented no further: a text of 50,000 brackets would take gigabytes. */
const MOST_LEVELS = 20;

/**
 * JSON with one line per member. Tokens are unchanged: numbers keep all digits, which parsing would lose. Texts that
 * are not JSON return some tokens too.
 *
 * @example
 * jsonTokens('[1.0]').map(({ kind }) => kind); // ["symbol", "space", "value", "space", "symbol"]
 */
export function jsonTokens(json: string): JsonToken[] {
  const source = json.match(TOKEN) ?? [];
  const tokens: JsonToken[] = [];
  let depth = 0;
  const breakLine = (): void => {
    tokens.push({ kind: "space", text: `\n${INDENT.repeat(Math.min(depth, MOST_LEVELS))}` });
  };
  for (const [index, text] of source.entries()) {
    const previous = source[index - 1];
    if (text === "}" || text === "]") {
      depth = Math.max(0, depth - 1);
      if (previous !== "{" && previous !== "[") breakLine();
    } else if (previous === "{" || previous === "[" || previous === ",") breakLine();
    tokens.push({ kind: kindOf(text, source[index + 1]), text });
    if (text === "{" || text === "[") depth += 1;
    if (text === ":") tokens.push({ kind: "space", text: " " });
  }
  return tokens;
}

/**
 * The same as one text.
 *
 * @example
 * indentJson('{"a":1e400,"b":[1.0]}'); // '{\n  "a": 1e400,\n  "b": [\n    1.0\n  ]\n}'
 */
export const indentJson = (json: string): string =>
  jsonTokens(json)
    .map(({ text }) => text)
    .join("");

function kindOf(text: string, next: string | undefined): JsonToken["kind"] {
  if (text.startsWith('"')) return next === ":" ? "key" : "text";
  return /^[[\]{},:]$/.test(text) ? "symbol" : "value";
}
