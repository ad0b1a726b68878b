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

/** The words that are shown as keywords and offered for completion. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "all and as asc between by case cast collate cross current_date current_timestamp desc distinct else end escape " +
    "except exists explain filter first following from full glob group having in inner intersect is isnull join last " +
    "left like limit match natural not notnull null nulls offset on or order outer over partition plan preceding " +
    "query range recursive regexp right rows select then unbounded union using values when where window with"
  ).split(" "),
);
