import { encodeComponent } from "./encode-component.js";
import type { BodyStream, ReplyBody } from "./request.js";

/**
 * A body whose source is opened when its first piece is read. If the body is never sent, nothing is opened.
 *
 * @example
 * reply.withHeaders({ ...reply.text(""), body: lazyBody(() => createReadStream(file)) }, { "cache-control": "no-store" }).status; // 200
 */
export const lazyBody = (open: () => BodyStream | Promise<BodyStream>): BodyStream => ({
  async *[Symbol.asyncIterator]() {
    yield* await open();
  },
});

/** The used part of Node's streams. */
interface NodeStream {
  destroy(): unknown;
  on?(event: "error", listener: () => void): unknown;
}

const isNodeStream = (source: object): source is NodeStream =>
  "destroy" in source && typeof source.destroy === "function";

const ignore = (): void => undefined;

/**
 * Closes the source of a body, also if reading has not begun. Never throws, and does not wait for the end.
 *
 * @example
 * const body = lazyBody(() => createReadStream(file));
 * closeBody(body);
 * @param body a body or any other asynchronous source; text and bytes are ignored
 */
export function closeBody(body: ReplyBody | AsyncIterable<unknown>): void {
  if (typeof body === "string" || body instanceof Uint8Array) return;
  try {
    if (isNodeStream(body)) {
      // Without a listener, an error of a Node stream that is not being read ends the process.
      body.on?.("error", ignore);
      body.destroy();
      return;
    }
    // Generators return the iterator that is being read, so this call ends it.
    body[Symbol.asyncIterator]().return?.().then(ignore, ignore);
  } catch {
    // A source that fails to close cannot be reported: the reply has been sent.
  }
}

/**
 * The most characters, or bytes, of a piece. Encoding ten million characters and copying them into the socket takes
 * 100 ms, in which the event loop answers no other request.
 */
export const PIECE_LENGTH = 262_144;

/**
 * A long text in pieces, or bytes. None ends between the two halves of a character, which are encoded together.
 *
 * @example
 * [...shortPieces("a short text")]; // ["a short text"]
 */
export function* shortPieces(body: string | Uint8Array): Generator<string | Uint8Array> {
  for (let start = 0; start < body.length;) {
    const end = start + PIECE_LENGTH;
    const isHalf = typeof body === "string" && /[\ud800-\udbff]/.test(body.charAt(end - 1));
    const next = isHalf ? end + 1 : end;
    yield typeof body === "string" ? body.slice(start, next) : body.subarray(start, next);
    start = next;
  }
}

/**
 * The text of a body, of whichever kind it is: cached replies are bytes, long ones are streams.
 *
 * @example
 * await textOfBody(reply.text("Hello").body); // "Hello"
 * @param mostCharacters a longer stream is closed after about this many, and the rest is left out
 * @throws whatever the stream throws
 */
export async function textOfBody(body: ReplyBody, mostCharacters = Infinity): Promise<string> {
  if (typeof body === "string") return body;
  const decoder = new TextDecoder();
  if (body instanceof Uint8Array) return decoder.decode(body);
  let text = "";
  for await (const part of body) {
    text += typeof part === "string" ? part : decoder.decode(part, { stream: true });
    if (text.length > mostCharacters) return text;
  }
  return text + decoder.decode();
}

/**
 * A `Content-Disposition` value for a download under a name with any characters.
 *
 * @example
 * attachment("books.csv"); // 'attachment; filename="books.csv"'
 * @param plain the name for clients that read only ASCII; other characters are replaced by `_`
 */
export function attachment(name: string, plain = name): string {
  if (Math.max(name.length, plain.length) > LONGEST_NAME)
    return attachment(shortened(name), shortened(plain));
  const ascii = plain.replace(/[^\x20-\x7e]|["\\]/g, "_");
  const fallback = `attachment; filename="${ascii}"`;
  // The form of RFC 8187, for any characters.
  return ascii === name ? fallback : `${fallback}; filename*=UTF-8''${encodeComponent(name)}`;
}

// Most file systems allow 255 bytes.
const LONGEST_NAME = 200;

/** Removes the middle, so that the extension at the end is kept. */
const shortened = (name: string): string =>
  name.length > LONGEST_NAME ? `${name.slice(0, 150)}_${name.slice(-40)}` : name;
