import type { Real } from "../engine/values.js";
import { TimeSlices } from "../http/time-slices.js";
import { finiteDecimalOf, integerEnd, integerOf, numberEnd } from "./numbers.js";

/**
 * A lossless JSON value: an integer is a `number` if that is exact, else a `bigint`; a number with a point or an exponent
 * is a `Real`, one with more digits than the text of a double an `Exact`; an object is a map in the order of its keys.
 */
export type JsonValue = null | boolean | number | bigint | Real | string | readonly JsonValue[] | JsonObject;
/** An object of {@link JsonValue}s. */
export type JsonObject = ReadonlyMap<string, JsonValue>;

/**
 * Parses JSON without loss: exact integers, and `1.0` is distinct from `1`. An object with a
 * repeated key is refused, because one of the values would be lost.
 *
 * @example
 * parseJsonTree('{"id": 9007199254740993}'); // new Map([["id", 9007199254740993n]])
 * @throws SyntaxError with the expected token and its position: `Expecting value: line 1 column 1 (char 0)`
 */
export const parseJsonTree = (text: string): JsonValue => new JsonParser(text).document();

/** In characters; parsed within a slice. */
const SHORT_TEXT = 50_000;

/**
 * {@link parseJsonTree} in slices, so that the event loop answers other requests while it parses megabytes.
 *
 * @example
 * await parseJsonTreeInSlices("[1]", request); // [1]
 * @param client ends the parsing if it disconnects
 * @throws SyntaxError, or QueryInterrupted if the client has disconnected
 */
export async function parseJsonTreeInSlices(
  text: string,
  client: { readonly signal?: AbortSignal | undefined },
): Promise<JsonValue> {
  if (text.length < SHORT_TEXT) return parseJsonTree(text);
  const slices = new TimeSlices(client);
  const parser = new JsonParser(text);
  while (!parser.advance()) await slices.nextIfOver();
  // One long text takes longer than a slice.
  await slices.nextIfOver();
  return parser.document();
}

/**
 * The syntax error of a text, with its position; null for valid JSON, in which keys may be repeated.
 *
 * @example
 * jsonComplaint("[1,]"); // "Expecting value: line 1 column 4 (char 3)"
 */
export function jsonComplaint(text: string): string | null {
  try {
    new JsonParser(text, "allowed").document();
    return null;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

const MAX_DEPTH = 500;
const SPACE = /[ \t\n\r]*/y;
const HEX = /[0-9a-fA-F]{4}/y;

/** What may follow a backslash, besides `u` and four digits. */
const ESCAPED = '"\\/bfnrt';

/** Literals by their first letter. */
const WORDS: ReadonlyMap<string, readonly [word: string, value: JsonValue]> = new Map([
  ["n", ["null", null]],
  ["t", ["true", true]],
  ["f", ["false", false]],
] as const);

/** The end of the token that begins at `from`; `from` itself if there is none. */
function endOf(token: RegExp, text: string, from: number): number {
  token.lastIndex = from;
  return token.test(text) ? token.lastIndex : from;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANK = 0x20;

/** The end of the unescaped characters from `from` on. For short strings a loop is faster than a regular expression. */
function plainEnd(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code >= BLANK && code !== QUOTE && code !== BACKSLASH;) {
    at += 1;
    code = text.charCodeAt(at);
  }
  return at;
}

/** The end of a string with escape sequences, of which `from` is a position; null if it has none. */
function escapedEnd(text: string, from: number): number | null {
  let at = plainEnd(text, from);
  while (text.charCodeAt(at) === BACKSLASH) at = plainEnd(text, at + 2);
  return text.charCodeAt(at) === QUOTE ? at + 1 : null;
}

/** An object whose end was not reached, and the key of its next value. */
interface OpenObject {
  readonly members: Map<string, JsonValue>;
  key: string;
}

const VALUES_AT_ONCE = 500;

/** Parses one text. It holds the open lists and objects itself, so that it can stop after any value. */
class JsonParser {
  #at = 0;
  /** From the outermost to the innermost. */
  readonly #open: (JsonValue[] | OpenObject)[] = [];
  #result: { readonly value: JsonValue } | null = null;

  constructor(
    private readonly text: string,
    private readonly repeatedKeys: "refused" | "allowed" = "refused",
  ) {
    this.#skipSpace();
  }

  /** The value of the whole text. @throws SyntaxError */
  document(): JsonValue {
    while (this.#result === null) this.advance();
    return this.#result.value;
  }

  /** Parses some more values. @returns true at the end of the text @throws SyntaxError */
  advance(): boolean {
    for (let count = 0; count < VALUES_AT_ONCE && this.#result === null; count += 1) this.#value();
    return this.#result !== null;
  }

  #value(): void {
    const first = this.text[this.#at];
    if (first === '"') return this.#add(this.#string());
    if (first === "{" || first === "[") {
      if (this.#open.length === MAX_DEPTH) throw this.#wrong("Nested too deeply");
      return first === "{" ? this.#openObject() : this.#openList();
    }
    const [word, value] = WORDS.get(first ?? "") ?? ["", null];
    if (word === "" || !this.text.startsWith(word, this.#at)) return this.#add(this.#number());
    this.#at += word.length;
    this.#add(value);
  }

  #openObject(): void {
    const members = new Map<string, JsonValue>();
    this.#step();
    if (this.#takes("}")) return this.#add(members);
    this.#open.push({ members, key: this.#key() });
  }

  #openList(): void {
    this.#step();
    if (this.#takes("]")) this.#add([]);
    else this.#open.push([]);
  }

  /** Adds a value to the innermost open list or object, and closes all that end after it. */
  #add(added: JsonValue): void {
    let value = added;
    for (;;) {
      this.#skipSpace();
      const container = this.#open.at(-1);
      if (container === undefined) {
        if (this.#at < this.text.length) throw this.#wrong("Extra data");
        this.#result = { value };
        return;
      }
      if (Array.isArray(container)) {
        container.push(value);
        if (!this.#takes("]")) return this.#comma();
        value = container;
      } else {
        container.members.set(container.key, value);
        if (!this.#takes("}")) {
          this.#comma();
          container.key = this.#nextKey(container.members);
          return;
        }
        value = container.members;
      }
      this.#open.pop();
    }
  }

  #key(): string {
    if (this.text[this.#at] !== '"') throw this.#wrong("Expecting property name enclosed in double quotes");
    const key = this.#string();
    this.#skipSpace();
    if (this.text[this.#at] !== ":") throw this.#wrong("Expecting ':' delimiter");
    this.#step();
    return key;
  }

  #nextKey(before: ReadonlyMap<string, JsonValue>): string {
    const start = this.#at;
    const key = this.#key();
    if (this.repeatedKeys === "refused" && before.has(key))
      throw this.#wrong("Repeated property name", start);
    return key;
  }

  #number(): JsonValue {
    const start = this.#at;
    const whole = integerEnd(this.text, start);
    if (whole === start) throw this.#wrong("Expecting value");
    this.#at = numberEnd(this.text, whole);
    const token = this.text.slice(start, this.#at);
    return this.#at === whole ? integerOf(token) : finiteDecimalOf(token);
  }

  #string(): string {
    const { text } = this;
    const begin = this.#at;
    const plain = plainEnd(text, begin + 1);
    if (text[plain] === '"') {
      this.#at = plain + 1;
      return text.slice(begin + 1, plain);
    }
    const end = escapedEnd(text, plain);
    if (end === null) throw this.#wrongString(begin);
    this.#at = end;
    try {
      return JSON.parse(text.slice(begin, end)) as string;
    } catch {
      throw this.#wrongString(begin);
    }
  }

  /** The first mistake in the string that begins at `begin`. */
  #wrongString(begin: number): SyntaxError {
    const { text } = this;
    let at = begin + 1;
    for (;;) {
      const end = plainEnd(text, at);
      const letter = text[end + 1];
      if (text[end] === undefined || (text[end] === "\\" && letter === undefined))
        return this.#wrong("Unterminated string starting at", begin);
      if (text[end] !== "\\") return this.#wrong("Invalid control character at", end);
      at = end + 2;
      if (letter === "u") {
        at = endOf(HEX, text, end + 2);
        if (at === end + 2 || at === text.length) return this.#wrong("Invalid \\uXXXX escape", end + 1);
      } else if (!ESCAPED.includes(letter ?? "")) {
        return this.#wrong("Invalid \\escape", end);
      }
    }
  }

  #comma(): void {
    if (this.text[this.#at] !== ",") throw this.#wrong("Expecting ',' delimiter");
    this.#step();
  }

  /** Skips one character and the space after it. */
  #step(): void {
    this.#at += 1;
    this.#skipSpace();
  }

  #takes(closer: string): boolean {
    if (this.text[this.#at] !== closer) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    if (this.text.charCodeAt(this.#at) <= BLANK) this.#at = endOf(SPACE, this.text, this.#at);
  }

  /** Positions count characters (code points), not UTF-16 units. */
  #wrong(reason: string, at = this.#at): SyntaxError {
    const before = this.text.slice(0, at);
    const lineStart = before.lastIndexOf("\n") + 1;
    const line = before.split("\n").length;
    const column = characters(before.slice(lineStart)) + 1;
    return new SyntaxError(`${reason}: line ${line} column ${column} (char ${characters(before)})`);
  }
}

const characters = (text: string): number => text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, ".").length;
