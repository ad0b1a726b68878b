/**
 * Messages on a pipe: each is a frame of two lengths of four bytes (of all that follows, and of the head), a head, and
 * a body of bytes that is passed on without being looked at.
 */
export interface Frame {
  readonly head: Buffer;
  readonly body: Buffer;
}

const LENGTHS_BYTES = 8;
// One write costs less than two, and copying so little costs less than either.
const COPIED_BYTES = 65_536;

/** The pieces of one frame, in the order in which they are written. */
export function encodeFrame(head: Uint8Array, body?: Uint8Array): readonly Buffer[] {
  const bodyBytes = body?.length ?? 0;
  const isCopied = bodyBytes <= COPIED_BYTES;
  const first = Buffer.allocUnsafe(LENGTHS_BYTES + head.length + (isCopied ? bodyBytes : 0));
  first.writeUInt32LE(4 + head.length + bodyBytes, 0);
  first.writeUInt32LE(head.length, 4);
  first.set(head, LENGTHS_BYTES);
  if (body === undefined) return [first];
  if (!isCopied) return [first, Buffer.from(body.buffer, body.byteOffset, body.length)];
  first.set(body, LENGTHS_BYTES + head.length);
  return [first];
}

const NOTHING = Buffer.alloc(0);

/** Puts frames together again from the pieces that a pipe delivers. */
export class FrameReader {
  #bytes: Buffer = NOTHING;
  #length = 0;

  /** The frames that are complete with this piece. */
  push(piece: Buffer): readonly Frame[] {
    this.#append(piece);
    if (this.#length < this.#needed()) return [];
    const all = this.#bytes;
    const frames: Frame[] = [];
    let at = 0;
    while (all.length - at >= LENGTHS_BYTES) {
      const end = at + 4 + all.readUInt32LE(at);
      if (end > all.length) break;
      const headEnd = at + LENGTHS_BYTES + all.readUInt32LE(at + 4);
      frames.push({ head: all.subarray(at + LENGTHS_BYTES, headEnd), body: all.subarray(headEnd, end) });
      at = end;
    }
    // An empty part of a large frame would keep all of it.
    this.#bytes = at === all.length ? NOTHING : all.subarray(at);
    this.#length = this.#bytes.length;
    return frames;
  }

  /** The pieces of a large frame are copied when they come: to copy 50 MB at once takes 30 ms. */
  #append(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) {
      this.#bytes = piece;
    } else {
      if (length > this.#bytes.length) this.#reserve(length);
      this.#bytes.set(piece, this.#length);
    }
    this.#length = length;
  }

  #reserve(length: number): void {
    const larger = Buffer.allocUnsafe(Math.max(length, this.#needed()));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }

  /** The bytes of the first frame, as far as they are known. */
  #needed(): number {
    return this.#length < LENGTHS_BYTES ? LENGTHS_BYTES : 4 + this.#bytes.readUInt32LE(0);
  }
}
