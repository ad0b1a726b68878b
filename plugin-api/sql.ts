/** Any name as an SQL identifier, whatever is in it. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Text as an SQL literal. Values should travel as parameters; this is for the places where none may stand. */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * The name as published SQL shows it: bare where it can stand bare, else in brackets, else (it holds `]`)
 * in double quotes. `name`, `[select]`, `[has space]`, `"a]b"`.
 */
export function publishedIdentifier(name: string): string {
  if (PLAIN.test(name) && !KEYWORDS.has(name.toLowerCase())) return name;
  return name.includes("]") || name.includes("\0") ? quoteIdentifier(name) : `[${name}]`;
}

/**
 * SQLite's keywords (https://www.sqlite.org/lang_keywords.html), without the late ones that may stand bare as
 * names all the same (`nulls`, `window`, ...): published statements have always shown those bare.
 */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "abort action add after all alter analyze and as asc attach autoincrement before begin between by " +
    "cascade case cast check collate column commit conflict constraint create cross current_date " +
    "current_time current_timestamp database default deferrable deferred delete desc detach distinct drop " +
    "each else end escape except exclusive exists explain fail for foreign from full glob group having if " +
    "ignore immediate in index indexed initially inner insert instead intersect into is isnull join key " +
    "left like limit match natural no not nothing notnull null of offset on or order outer plan pragma " +
    "primary query raise recursive references regexp reindex release rename replace restrict returning " +
    "right rollback row savepoint select set table temp temporary then to transaction trigger union " +
    "unique update using vacuum values view virtual when where with without"
  ).split(" "),
);

/**
 * A full-text search text in which every word and every "quoted phrase" is taken literally: words are
 * quoted, an odd quote is closed, nothing is left of `""`.
 */
export function escapeSearch(text: string): string {
  const balanced = text.split('"').length % 2 === 0 ? `${text}"` : text;
  const pieces = balanced.match(/"[^"]*"|[^\s"]+/g) ?? [];
  return pieces
    .filter((piece) => piece !== '""')
    .map((piece) => (piece.startsWith('"') ? piece : `"${piece}"`))
    .join(" ");
}

/** What differs between SQL dialects, so that no plugin writes an engine's own SQL. Identifiers are quoted here. */
export interface Dialect {
  quoteIdentifier(name: string): string;
  /** ` limit 10`, ` limit 10 offset 20` */
  limit(count: number, offset?: number): string;
  /** A condition that is true when `column` of the full-text `table` (or any, null) matches parameter `:name`. */
  fullTextMatch(options: {
    readonly table: string;
    readonly column: string | null;
    readonly key: string;
    readonly parameter: string;
    readonly raw: boolean;
  }): string;
  /** The day of a date or timestamp column: `date("col")`. */
  dateOf(column: string): string;
}
