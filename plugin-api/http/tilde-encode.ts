const SAFE = /^[A-Za-z0-9_-]*$/;

/**
 * Encodes a name for a path: `A-Z a-z 0-9 _ -` are kept, a space becomes `+`, other UTF-8 bytes `~XX`.
 *
 * @example
 * tildeEncode("two words/é"); // "two+words~2F~C3~A9"
 */
export function tildeEncode(text: string): string {
  if (SAFE.test(text)) return text;
  let encoded = "";
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte);
    if (byte < 0x80 && SAFE.test(character)) encoded += character;
    else if (byte === 0x20) encoded += "+";
    else encoded += `~${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}
