/**
 * A name as quoted SQL identifier. Every name is safe, also with quotes in it.
 *
 * @example
 * quoteIdentifier('a"b'); // '"a""b"'
 */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * A text as SQL literal, for places where SQL allows no parameter. Pass all other values as parameters.
 *
 * @example
 * quoteText("it's"); // "'it''s'"
 */
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Escapes a full-text search text so that every word and every "quoted phrase" is matched literally: words get quotes,
 * an unclosed quote is closed, and `""` is removed.
 *
 * @example
 * escapeSearch('two "exact words"'); // '"two" "exact words"'
 */
export function escapeSearch(text: string): string {
  const balanced = text.split('"').length % 2 === 0 ? `${text}"` : text;
  const pieces = balanced.match(/"[^"]*"|[^\s"]+/g) ?? [];
  return pieces
    .filter((piece) => piece !== '""')
    .map((piece) => (piece.startsWith('"') ? piece : `"${piece}"`))
    .join(" ");
}
