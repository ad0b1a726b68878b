/** The rest of the body: names of columns, digests, the CSRF token. */
const SHARE_OF_TEXTS = 0.9;

/**
 * Limits the texts in the body of a form. Browsers send all fields, also those that were not changed, so a text that makes
 * the body too long would prevent every change of its row.
 */
export class TextLimit {
  #bytes: number;

  /** @param mostBytes the longest body of a request; 0 is no limit */
  constructor(mostBytes: number) {
    this.#bytes = mostBytes === 0 ? Infinity : mostBytes * SHARE_OF_TEXTS;
  }

  /** The text if it fits beside the earlier ones, else null. */
  fitting(text: string | null): string | null {
    if (text === null || this.#bytes === Infinity) return text;
    const bytes = encodedBytes(text, this.#bytes);
    if (bytes > this.#bytes) return null;
    this.#bytes -= bytes;
    return text;
  }
}

/** The length of a text in `application/x-www-form-urlencoded`. Counting ends above `most`. */
function encodedBytes(text: string, most: number): number {
  let bytes = 0;
  for (let at = 0; at < text.length && bytes <= most; at += 1) bytes += unitBytes(text.charCodeAt(at));
  return bytes;
}

const LINE_FEED = 0x0a;

/** The bytes of a UTF-16 unit. Each byte in UTF-8 takes three, and a line feed becomes CR LF. */
function unitBytes(unit: number): number {
  if (unit === LINE_FEED) return 6;
  if (unit < 0x80) return isSentAsIs(unit) ? 1 : 3;
  if (unit < 0x800 || isSurrogate(unit)) return 6;
  return 9;
}

const isSentAsIs = (unit: number): boolean =>
  (unit >= 0x61 && unit <= 0x7a) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  (unit >= 0x30 && unit <= 0x39) ||
  unit === 0x20;

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;
