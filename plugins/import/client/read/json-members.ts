const SPACE = /[ \t\r\n]*/y;
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/**
 * The members of an object, their values as JSON texts of one line.
 *
 * @throws SyntaxError
 */
export function membersOf(text: string): readonly (readonly [name: string, json: string])[] {
  const members: (readonly [string, string])[] = [];
  let at = skip(text, expect(text, skip(text, 0), "{"));
  while (text[at] !== "}") {
    if (members.length > 0) at = skip(text, expect(text, at, ","));
    const name = textAt(text, at);
    at = skip(text, expect(text, skip(text, at + name.length), ":"));
    const value = valueAt(text, at);
    members.push([JSON.parse(name) as string, readable(oneLine(value))]);
    at = skip(text, at + value.length);
  }
  if (skip(text, at + 1) < text.length) throw new SyntaxError("There is text behind the object");
  return members;
}

function valueAt(text: string, at: number): string {
  const first = text[at];
  if (first === '"') return textAt(text, at);
  if (first !== "{" && first !== "[") return match(PLAIN, text, at);
  const end = closingOf(text, at);
  const value = text.slice(at, end);
  JSON.parse(value);
  return value;
}

/** A text in quotes. A pattern fails for one of some megabytes, such as the base64 of a BLOB. */
function textAt(text: string, at: number): string {
  const first = expect(text, at, '"');
  let end = text.indexOf('"', first);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  if (end === -1) throw new SyntaxError("A text is not closed");
  return text.slice(at, end + 1);
}

/** True behind an odd number of backslashes: two of them are one that is escaped. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === "\\") first -= 1;
  return (at - first) % 2 === 1;
}

/** The position behind the bracket that closes the one at `start`. */
function closingOf(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const one = text[at];
    if (one === '"') at += textAt(text, at).length - 1;
    else if (one === "{" || one === "[") depth += 1;
    else if (one === "}" || one === "]") depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new SyntaxError("A bracket is not closed");
}

/** The line breaks between values of a list or an object become spaces. In a text they are a mistake, which stays. */
const oneLine = (json: string): string =>
  !json.startsWith('"') && /[\r\n]/.test(json) ? json.replace(/\s*[\r\n]\s*/g, " ") : json;

/** Characters instead of `\u00e9`, as filters and searches look for them. */
const readable = (json: string): string =>
  json.includes("\\u")
    ? // Without the limit, the pattern fails for millions of escapes that follow each other.
      json.replace(/\\[^u]|(?:\\u[\da-f]{4}){1,1000}/gi, (escape) => {
        const text = JSON.parse(`"${escape}"`) as string;
        return NEEDS_ESCAPE.test(text) ? escape : text;
      })
    : json;

/** What JSON texts must escape, and halves of characters, which UTF-8 does not have. */
const NEEDS_ESCAPE = /["\\\p{Cc}\p{Cs}]/u;

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  const found = pattern.exec(text)?.[0];
  if (found === undefined) throw new SyntaxError("Invalid JSON");
  return found;
}

const skip = (text: string, at: number): number => at + match(SPACE, text, at).length;

function expect(text: string, at: number, character: string): number {
  if (text[at] !== character) throw new SyntaxError(`Expected ${character}`);
  return at + 1;
}
