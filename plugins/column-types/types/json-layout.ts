/** Lists and objects of at most this many characters are on one line. */
const SHORT = 60;
/** Deeper levels are not indented: the spaces would be longer than the text. */
const DEEPEST = 20;

/**
 * JSON with one member per line, and short lists and objects on one line. Only white space between tokens changes:
 * numbers and texts keep their spelling.
 *
 * @param text must be JSON
 */
export function laidOut(text: string): string {
  const tokens = tokensOf(text);
  const shortEnds = endsOfShort(tokens);
  const pieces: string[] = [];
  let depth = 0;
  const newLine = (): void => void pieces.push(`\n${"  ".repeat(Math.min(depth, DEEPEST))}`);
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? "";
    const end = shortEnds.get(at);
    if (end !== undefined) {
      pieces.push(inOneLine(tokens.slice(at, end + 1)));
      at = end;
    } else if (CLOSING.has(token)) {
      depth -= 1;
      newLine();
      pieces.push(token);
    } else {
      pieces.push(token === ":" ? ": " : token);
      if (OPENING.has(token)) depth += 1;
      if (OPENING.has(token) || token === ",") newLine();
    }
  }
  return pieces.join("");
}

const OPENING: ReadonlySet<string> = new Set(["{", "["]);
const CLOSING: ReadonlySet<string> = new Set(["}", "]"]);

/** The end of each short list and object by its start. */
function endsOfShort(tokens: readonly string[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: { readonly at: number; readonly before: number }[] = [];
  let width = 0;
  for (const [at, token] of tokens.entries()) {
    if (OPENING.has(token)) open.push({ at, before: width });
    width += token.length + (token === "," || token === ":" ? 1 : 0);
    const begun = CLOSING.has(token) ? open.pop() : undefined;
    if (begun !== undefined && width - begun.before <= SHORT) ends.set(begun.at, at);
  }
  return ends;
}

const inOneLine = (tokens: readonly string[]): string =>
  tokens.map((token) => (token === "," || token === ":" ? `${token} ` : token)).join("");

/** The end of a number or a word. */
const BARE = /[^\s{}[\],:"]+/y;
const SPACE = /\s/;

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length;) {
    const first = text.charAt(at);
    const end = SPACE.test(first) ? at : endOfToken(text, at, first);
    if (end > at) tokens.push(text.slice(at, end));
    at = Math.max(end, at + 1);
  }
  return tokens;
}

function endOfToken(text: string, at: number, first: string): number {
  if (first === '"') return endOfText(text, at);
  BARE.lastIndex = at;
  return BARE.test(text) ? BARE.lastIndex : at + 1;
}

/**
 * The end of a string: after the first quote without a backslash. A regular expression would need a stack as deep as
 * the text is long.
 */
function endOfText(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text[quote - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return text.length;
}
