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

/** SQLite's keywords (https://www.sqlite.org/lang_keywords.html). */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "abort action add after all alter always analyze and as asc attach autoincrement before begin between by cascade " +
    "case cast check collate column commit conflict constraint create cross current current_date current_time " +
    "current_timestamp database default deferrable deferred delete desc detach distinct do drop each else end " +
    "escape except exclude exclusive exists explain fail filter first following for foreign from full generated " +
    "glob group groups having if ignore immediate in index indexed initially inner insert instead intersect into is " +
    "isnull join key last left like limit match materialized natural no not nothing notnull null nulls of offset on " +
    "or order others outer over partition plan pragma preceding primary query raise range recursive references " +
    "regexp reindex release rename replace restrict returning right rollback row rows savepoint select set table " +
    "temp temporary then ties to transaction trigger unbounded union unique update using vacuum values view virtual " +
    "when where window with without"
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
