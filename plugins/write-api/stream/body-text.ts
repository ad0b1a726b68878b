import { BadRequest, PayloadTooLarge, RowhouseError, WriteRejected } from "rowhouse/plugin-api";

/**
 * Decodes the text of a body as it arrives, without a byte order mark. If the consumer stops early, the rest of the body
 * is still read: a client that is still sending would not receive the reply.
 *
 * @param maxBytes 0 for no limit
 * @throws PayloadTooLarge, WriteRejected when it is not UTF-8
 */
export async function* bodyText(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const pieces = body[Symbol.asyncIterator]();
  let length = 0;
  try {
    for (let piece = await next(pieces); piece !== null; piece = await next(pieces)) {
      const bytes = piece;
      length += bytes.length;
      if (maxBytes > 0 && length > maxBytes) throw new PayloadTooLarge(maxBytes);
      yield decoded(() => decoder.decode(bytes, { stream: true }));
    }
    yield decoded(() => decoder.decode());
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

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new WriteRejected(["The body is not UTF-8 text"]);
  }
}
