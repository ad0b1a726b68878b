/**
 * The first `limit` characters and `…`; the complete text if it fits or the limit is 0. Never splits a character.
 */
export function shortened(text: string, limit: number): string {
  if (limit === 0 || text.length <= limit) return text;
  const isPair = (text.codePointAt(limit - 1) ?? 0) > 0xffff;
  return `${text.slice(0, isPair ? limit - 1 : limit)}…`;
}
