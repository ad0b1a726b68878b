import { TextDecoder } from "node:util";
import { BadRequest, RowhouseError, WriteRejected } from "rowhouse/plugin-api";
import { PayloadTooLarge } from "rowhouse/plugin-api/errors";

/**
 * Decodes the text of a body as it arrives, without a byte order mark. If the consumer stops early, the rest of the body
 * is still read: a client that is still sending would not receive the reply.
 *
 * @param limits.maxBytes 0 for no limit
 * @param limits.encoding a name of the Encoding standard, such as `utf-8`, `utf-16le` or `windows-1252`
 * @throws PayloadTooLarge, WriteRejected for an unknown encoding and for bytes that are not text in it
 */
export async function* bodyText(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, encoding }: { readonly maxBytes: number; readonly encoding: string },
): AsyncGenerator<string> {
  const pieces = body[Symbol.asyncIterator]();
  let length = 0;
  try {
    const decoder = decoderOf(encoding);
    for (let piece = await next(pieces); piece !== null; piece = await next(pieces)) {
      const bytes = piece;
      length += bytes.length;
      if (maxBytes > 0 && length > maxBytes) throw new PayloadTooLarge(maxBytes);
      yield decoded(decoder, bytes);
    }
    yield decoded(decoder);
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
  try {
    const { done, value } = await pieces.next();
    return done === true ? null : value;
  } catch (error) {
    if (error instanceof RowhouseError) throw error;
    throw new BadRequest("The request body could not be read", { cause: error });
  }
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true });
  } catch {
    throw new WriteRejected([`Unknown encoding: ${encoding}`]);
  }
}

/** @param bytes undefined at the end */
function decoded(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    throw new WriteRejected([`The body is not ${decoder.encoding.toUpperCase()} text`]);
  }
}
