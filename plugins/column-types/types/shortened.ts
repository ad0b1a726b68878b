/** The first `limit` characters and `…`; all of it when it fits or the limit is 0. Never half a character. */
export function shortened(text: string, limit: number): string {
  if (limit === 0 || text.length <= limit) return text;
  const isPair = (text.codePointAt(limit - 1) ?? 0) > 0xffff;
  return `${text.slice(0, isPair ? limit - 1 : limit)}…`;
}
