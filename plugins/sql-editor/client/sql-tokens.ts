export type TokenKind = "space" | "comment" | "text" | "name" | "parameter" | "number" | "word" | "symbol";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const TOKENS =
  /(?<space>\s+)|(?<comment>--[^\n]*|\/\*[^]*?(?:\*\/|$))|(?<text>'(?:[^']|'')*(?:'|$))|(?<name>"(?:[^"]|"")*(?:"|$)|`[^`]*(?:`|$)|\[[^\]]*(?:\]|$))|(?<parameter>[:@$][\p{L}\p{N}_]+)|(?<number>\d[\d._]*(?:[eE][+-]?\d+)?)|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|(?<symbol>[^])/gu;

/** The pieces of an SQL text; joined they are the text again. */
export const sqlTokens = (sql: string): Token[] =>
  [...sql.matchAll(TOKENS)].map(({ groups = {}, 0: text }) => ({
    kind: (Object.keys(groups).find((kind) => groups[kind] !== undefined) ?? "symbol") as TokenKind,
    text,
  }));
