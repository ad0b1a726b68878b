/** Parsed JSON in which no integer has been rounded: those beyond 2^53 are `bigint`, all others `number`. */
export type Json = null | boolean | number | bigint | string | JsonArray | JsonObject;
export type JsonArray = readonly Json[];
export interface JsonObject {
  readonly [key: string]: Json;
}

const TOKEN = /[ \t\r\n]*("(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}[\]:,]|[a-z]+)/y;
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON exactly, unlike `JSON.parse`, which rounds integers to doubles. Of equal keys the last one counts.
 *
 * @throws SyntaxError naming the position
 */
export function parseJson(text: string): Json {
  const tokens = new Tokens(text);
  const value = readValue(tokens, tokens.next());
  tokens.end();
  return value;
}

class Tokens {
  private position = 0;
  constructor(private readonly text: string) {}

  next(): string {
    TOKEN.lastIndex = this.position;
    const token = TOKEN.exec(this.text)?.[1];
    if (token === undefined) throw this.error();
    this.position = TOKEN.lastIndex;
    return token;
  }

  end(): void {
    if (this.text.slice(this.position).trim() !== "") throw this.error();
  }

  error(): SyntaxError {
    const around = this.text.slice(this.position, this.position + 40);
    return new SyntaxError(`Not JSON at position ${this.position}: ${JSON.stringify(around)}`);
  }
}

function readValue(tokens: Tokens, token: string): Json {
  if (token === "{") return readObject(tokens);
  if (token === "[") return readArray(tokens);
  if (token.startsWith('"')) return JSON.parse(token) as string;
  if (token === "true") return true;
  if (token === "false") return false;
  if (token === "null") return null;
  if (/^[-\d]/.test(token)) return readNumber(token);
  throw tokens.error();
}

function readNumber(token: string): number | bigint {
  const double = Number(token);
  return INTEGER.test(token) && !Number.isSafeInteger(double) ? BigInt(token) : double;
}

function readArray(tokens: Tokens): Json {
  const items: Json[] = [];
  let token = tokens.next();
  if (token === "]") return items;
  while (true) {
    items.push(readValue(tokens, token));
    token = tokens.next();
    if (token === "]") return items;
    if (token !== ",") throw tokens.error();
    token = tokens.next();
  }
}

function readObject(tokens: Tokens): Json {
  const entries: [string, Json][] = [];
  let token = tokens.next();
  if (token === "}") return {};
  while (true) {
    if (!token.startsWith('"') || tokens.next() !== ":") throw tokens.error();
    entries.push([JSON.parse(token) as string, readValue(tokens, tokens.next())]);
    token = tokens.next();
    if (token === "}") return Object.fromEntries(entries);
    if (token !== ",") throw tokens.error();
    token = tokens.next();
  }
}

/** JSON text of an exactly parsed value, for messages and for comparing values by their text. */
export function showJson(value: Json | undefined): string {
  if (value === undefined) return "(absent)";
  if (typeof value === "bigint") return String(value);
  if (isArray(value)) return `[${value.map(showJson).join(",")}]`;
  if (isObject(value)) {
    return `{${Object.entries(value)
      .map(([key, item]) => `${JSON.stringify(key)}:${showJson(item)}`)
      .join(",")}}`;
  }
  return JSON.stringify(value);
}

export const isArray = (value: Json | undefined): value is JsonArray => Array.isArray(value);

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
