import { Real } from "./values.js";

/**
 * JSON with nothing lost: an integer is a `number` when that is exact and a `bigint` otherwise, a number written
 * with a point or an exponent is a `Real`, an object is a map in the order of its keys.
 */
export type JsonValue = null | boolean | number | bigint | Real | string | readonly JsonValue[] | JsonObject;
/** An object of {@link JsonValue}s. */
export type JsonObject = ReadonlyMap<string, JsonValue>;

const MAX_DEPTH = 500;
/** No column holds an integer of anywhere near as many digits, and making one takes time. */
const MAX_INTEGER_DIGITS = 4300;

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

/** By their first letter. */
const WORDS: ReadonlyMap<string, readonly [word: string, value: JsonValue]> = new Map([
  ["n", ["null", null]],
  ["t", ["true", true]],
  ["f", ["false", false]],
] as const);

const NO_WORD = ["", null] as const;

/**
 * Parses JSON without losing digits or telling `1.0` from `1` by luck. Of repeated keys the last wins.
 *
 * @throws SyntaxError that says what was expected, and where: `Expecting value: line 1 column 1 (char 0)`
 */
export const parseJsonTree = (text: string): JsonValue => new Parser(text).document();

/** What is wrong with text that is no JSON, and where; null for JSON. */
export function jsonComplaint(text: string): string | null {
  try {
    parseJsonTree(text);
    return null;
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
    throw error;
  }
}

/** Where a token that begins at `from` ends; `from` itself when there is none. */
function endOf(token: RegExp, text: string, from: number): number {
  token.lastIndex = from;
  return token.test(text) ? token.lastIndex : from;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANK = 0x20;

/** Where what stands in a string for itself ends. Names and most values are short: to start a regular expression takes longer. */
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
      return new Real(value);
    }
    // Adding zero makes 0 of -0, which no integer is.
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

  /** The character that the backslash at `backslash` stands for, and where the text goes on. */
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

  /** Over the character at hand and the space behind it. */
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

  /** Places are told in characters as people count them, not in UTF-16 units. */
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
