/** True if the text contains each word of what was typed, whatever the case of letters. */
export function matchesWords(text: string, typed: string): boolean {
  const folded = text.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => folded.includes(word));
}
