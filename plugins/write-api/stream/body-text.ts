import { TextDecoder } from "node:util";
import { WriteRejected } from "rowhouse/plugin-api";
import { PayloadTooLarge } from "rowhouse/plugin-api/errors";

/** How bytes are read as text. */
export interface TextOptions {
  /** 0 for no limit. */
  readonly maxBytes: number;
  /** A name of the Encoding standard, such as `utf-8`, `utf-16le` or `windows-1252`. */
  readonly encoding: string;
  /** What messages call the text. */
  readonly name: "body" | "file";
}

/**
 * Decodes the text of a body or file as it arrives, without a byte order mark. If the consumer stops early, the rest of the body
 * is still read: a client that is still sending would not receive the reply.
 *
 * @throws PayloadTooLarge, WriteRejected for an unknown encoding and for bytes that are not text in it
 */
export async function* bodyText(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, encoding, name }: TextOptions,
): AsyncGenerator<string> {
  const pieces = body[Symbol.asyncIterator]();
  let length = 0;
  try {
    const decoder = decoderOf(encoding);
    for (let piece = await next(pieces); piece !== null; piece = await next(pieces)) {
      const bytes = piece;
      length += bytes.length;
      if (maxBytes > 0 && length > maxBytes) throw new PayloadTooLarge(maxBytes);
      yield decoded({ decoder, name }, bytes);
    }
    yield decoded({ decoder, name });
  } finally {
    await drain(pieces, maxBytes === 0 ? Infinity : maxBytes - length);
  }
}

async function drain(pieces: AsyncIterator<Uint8Array>, maxBytes: number): Promise<void> {
  let left = maxBytes;
  while (left > 0) {
    const piece = await next(pieces).catch(() => null);
    if (piece === null) return;
    left -= piece.length;
  }
  await pieces.return?.();
}

async function next(pieces: AsyncIterator<Uint8Array>): Promise<Uint8Array | null> {
  const { done, value } = await pieces.next();
  return done === true ? null : value;
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new WriteRejected([`Unknown encoding: ${encoding}`]);
  }
}

interface NamedDecoder extends Pick<TextOptions, "name"> {
  readonly decoder: TextDecoder;
}

/** @param bytes undefined at the end */
function decoded({ decoder, name }: NamedDecoder, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    throw new WriteRejected([`The ${name} is not ${decoder.encoding.toUpperCase()} text`]);
  }
}
