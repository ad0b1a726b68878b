import { message } from "../message.js";
import { UnreadableFile } from "./source.js";

/** Encodings that the page offers, by their names in the Encoding standard. */
export const ENCODINGS = [
  ["utf-8", "unicode", "UTF-8"],
  ["utf-16le", "unicode", "UTF-16"],
  ["utf-16be", "big_endian", "UTF-16"],
  ["windows-1252", "western", "Windows"],
  ["iso-8859-15", "western", "ISO 8859-15"],
  ["macintosh", "western", "Macintosh"],
  ["windows-1250", "central", "Windows"],
  ["windows-1251", "cyrillic", "Windows"],
  ["koi8-r", "cyrillic", "KOI8-R"],
  ["windows-1253", "greek", "Windows"],
  ["windows-1254", "turkish", "Windows"],
  ["windows-1255", "hebrew", "Windows"],
  ["windows-1256", "arabic", "Windows"],
  ["shift_jis", "japanese", "Shift_JIS"],
  ["euc-jp", "japanese", "EUC-JP"],
  ["euc-kr", "korean", "EUC-KR"],
  ["gb18030", "chinese", "GB 18030"],
  ["big5", "chinese", "Big5"],
] as const;

/** The encoding of bytes that are no Unicode text. It has a character for each byte. */
export const FALLBACK = "windows-1252";

const SAMPLE_BYTES = 256 * 1024;

/** The encoding by the first bytes: a byte order mark, zeros between letters, or whether they are UTF-8. */
export async function detectEncoding(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.slice(0, SAMPLE_BYTES).arrayBuffer());
  const [first = 0, second = 0] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return utf16WithoutMark(bytes, file.size) ?? (isUtf8(bytes) ? "utf-8" : FALLBACK);
}

/** In UTF-16, one of the two bytes of an ASCII letter is zero, always at the same place. Few other characters have zeros. */
function utf16WithoutMark(bytes: Uint8Array, size: number): string | null {
  const first = bytes.subarray(0, 1000);
  const zeros = (rest: number): number => first.filter((byte, at) => byte === 0 && at % 2 === rest).length;
  const [even, odd] = [zeros(0), zeros(1)];
  const [less, more] = [Math.min(even, odd), Math.max(even, odd)];
  if (size % 2 === 1 || more <= first.length / 10 || less > more / 3) return null;
  return odd > even ? "utf-16le" : "utf-16be";
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    // A character that is cut at the end of the sample is no mistake.
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The text of a file in pieces, without a byte order mark. @throws UnreadableFile for bytes that are no text */
export async function* textOf(file: Blob, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw new WrongEncoding(message("script.import.wrong_encoding", { encoding: encoding.toUpperCase() }));
    }
  };
  for await (const bytes of piecesOf(file.stream())) yield decode(bytes);
  yield decode();
}

/** Bytes that are not text in the chosen encoding. */
export class WrongEncoding extends UnreadableFile {}

/** The first characters of a file. */
export async function beginningOf(file: Blob, encoding: string): Promise<string> {
  const bytes = await file.slice(0, SAMPLE_BYTES).arrayBuffer();
  return new TextDecoder(encoding).decode(bytes, { stream: true });
}

/** The pieces of a stream. Not all browsers can iterate over streams. */
export async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
