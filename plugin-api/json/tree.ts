import { Exact, Real } from "../engine/values.js";

/**
 * A lossless JSON value: an integer is a `number` if that is exact, else a `bigint`; a number with a point or an exponent
 * is a `Real`, one with more digits than a double holds an `Exact`; an object is a map in the order of its keys.
 */
export type JsonValue = null | boolean | number | bigint | Real | string | readonly JsonValue[] | JsonObject;
/** An object of {@link JsonValue}s. */
export type JsonObject = ReadonlyMap<string, JsonValue>;

const MAX_DEPTH = 500;
/** Longer integers are rejected: no column can store them, and creating them takes long. */
const MAX_INTEGER_DIGITS = 4300;

/** A double holds every number with so many digits. */
const SAFE_DIGITS = 15;

/** The digits of a number without zeros at both ends, and its exponent: equal for equal numbers. */
function decimalOf(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** True if a double has exactly the value of the token. Most tokens are what JavaScript has written for one. */
const isDouble = (token: string, value: number): boolean =>
  token.length <= SAFE_DIGITS || token === String(value) || decimalOf(token) === decimalOf(String(value));

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const HEX = /[0-9a-fA-F]{4}/y;

const ESCAPED: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** Literals by their first letter. */
const WORDS: ReadonlyMap<string, readonly [word: string, value: JsonValue]> = new Map([
  ["n", ["null", null]],
  ["t", ["true", true]],
  ["f", ["false", false]],
] as const);

const NO_WORD = ["", null] as const;

/**
 * Parses JSON without loss: exact integers, and `1.0` is distinct from `1`. The last of repeated keys is used.
 *
 * @example
 * parseJsonTree('{"id": 9007199254740993}'); // new Map([["id", 9007199254740993n]])
 * @throws SyntaxError with the expected token and its position: `Expecting value: line 1 column 1 (char 0)`
 */
export const parseJsonTree = (text: string): JsonValue => new Parser(text).document();

/**
 * The syntax error of a text, with its position; null for valid JSON.
 *
 * @example
 * jsonComplaint("[1,]"); // "Expecting value: line 1 column 4 (char 3)"
 * jsonComplaint("[1]"); // null
 */
export function jsonComplaint(text: string): string | null {
  try {
    parseJsonTree(text);
    return null;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

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

class Parser {
  #at = 0;

  constructor(private readonly text: string) {}

  document(): JsonValue {
    this.#skipSpace();
    const value = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.text.length) throw this.#wrong("Extra data");
    return value;
  }

  #value(depth: number): JsonValue {
    const { text } = this;
    const first = text[this.#at];
    if (first === '"') return this.#string();
    if (first === "{" || first === "[") {
      if (depth === MAX_DEPTH) throw this.#wrong("Nested too deeply");
      return first === "{" ? this.#object(depth + 1) : this.#list(depth + 1);
    }
    const [word, value] = WORDS.get(first ?? "") ?? NO_WORD;
    if (word === "" || !text.startsWith(word, this.#at)) return this.#number();
    this.#at += word.length;
    return value;
  }

  #object(depth: number): JsonObject {
    const members = new Map<string, JsonValue>();
    this.#step();
    if (this.#takes("}")) return members;
    for (;;) {
      if (this.text[this.#at] !== '"') throw this.#wrong("Expecting property name enclosed in double quotes");
      const key = this.#string();
      this.#skipSpace();
      if (this.text[this.#at] !== ":") throw this.#wrong("Expecting ':' delimiter");
      this.#step();
      members.set(key, this.#value(depth));
      this.#skipSpace();
      if (this.#takes("}")) return members;
      this.#comma();
    }
  }

  #list(depth: number): readonly JsonValue[] {
    const items: JsonValue[] = [];
    this.#step();
    if (this.#takes("]")) return items;
    for (;;) {
      items.push(this.#value(depth));
      this.#skipSpace();
      if (this.#takes("]")) return items;
      this.#comma();
    }
  }

  #number(): JsonValue {
    const start = this.#at;
    this.#at = endOf(NUMBER, this.text, start);
    if (this.#at === start) throw this.#wrong("Expecting value");
    const token = this.text.slice(start, this.#at);
    const value = Number(token);
    if (/[.eE]/.test(token)) {
      if (!Number.isFinite(value)) throw new SyntaxError("number out of range");
      return isDouble(token, value) ? new Real(value) : new Exact(token);
    }
    // Adding zero turns -0 into 0: integers have no negative zero.
    if (Number.isSafeInteger(value)) return value + 0;
    if (token.length > MAX_INTEGER_DIGITS) throw new SyntaxError("number out of range");
    return BigInt(token);
  }

  #string(): string {
    const { text } = this;
    const begin = this.#at;
    let result = "";
    let at = begin + 1;
    for (;;) {
      const end = plainEnd(text, at);
      result += text.slice(at, end);
      const stop = text[end];
      if (stop === '"') {
        this.#at = end + 1;
        return result;
      }
      if (stop === undefined) throw this.#wrong("Unterminated string starting at", begin);
      if (stop !== "\\") throw this.#wrong("Invalid control character at", end);
      const [character, next] = this.#escape(end, begin);
      result += character;
      at = next;
    }
  }

  /** The character of an escape sequence, and the position after the sequence. */
  #escape(backslash: number, begin: number): readonly [character: string, next: number] {
    const letterAt = backslash + 1;
    const letter = this.text[letterAt];
    if (letter === undefined) throw this.#wrong("Unterminated string starting at", begin);
    if (letter !== "u") {
      const character = ESCAPED[letter];
      if (character === undefined) throw this.#wrong("Invalid \\escape", backslash);
      return [character, letterAt + 1];
    }
    const next = endOf(HEX, this.text, letterAt + 1);
    if (next === letterAt + 1 || next === this.text.length) {
      throw this.#wrong("Invalid \\uXXXX escape", letterAt);
    }
    return [String.fromCharCode(Number.parseInt(this.text.slice(letterAt + 1, next), 16)), next];
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

function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
