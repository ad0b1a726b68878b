const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * JSON with a member a line. Only the space between its tokens changes: numbers and texts stay as they are written,
 * to the last digit.
 *
 * @param text must be JSON
 */
export function laidOut(text: string): string {
  const pieces: string[] = [];
  let depth = 0;
  let previous = "";
  const newLine = (): void => void pieces.push(`\n${"  ".repeat(Math.min(depth, DEEPEST))}`);
  for (const [token] of text.matchAll(TOKEN)) {
    const closes = token === "}" || token === "]";
    if (closes) depth -= 1;
    const isEmpty = closes && (previous === "{" || previous === "[");
    if ((closes && !isEmpty) || (!closes && OPENS_LINE.has(previous))) newLine();
    pieces.push(token === ":" ? ": " : token);
    if (token === "{" || token === "[") depth += 1;
    previous = token;
  }
  return pieces.join("");
}

/** What the next token begins a new line after. */
const OPENS_LINE: ReadonlySet<string> = new Set(["{", "[", ","]);
/** Deeper than this the indentation would outgrow the text. */
const DEEPEST = 20;
