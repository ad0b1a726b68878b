import { randomInt } from "node:crypto";

const HEADER_BYTES = 10;
const FLAGS = 3;
const HAS_NAME = 0x08;
const LONGEST_NAME = 255;

/**
 * Gzipped bytes with a file name of random length, which readers skip: so long that guessing at the page by its
 * length takes thousands of tries for one character, and inside of the body, which proxies pass on whole.
 */
export const withUncertainLength = (gzipped: Buffer | AsyncIterable<Buffer>): typeof gzipped =>
  Buffer.isBuffer(gzipped) ? named(gzipped) : namedStream(gzipped);

function named(gzipped: Buffer): Buffer {
  const header = Buffer.from(gzipped.subarray(0, HEADER_BYTES));
  header[FLAGS] = (header[FLAGS] ?? 0) | HAS_NAME;
  const name = Buffer.from(`${"x".repeat(randomInt(LONGEST_NAME + 1))}\0`);
  return Buffer.concat([header, name, gzipped.subarray(HEADER_BYTES)]);
}

/** The first piece has the whole header. */
async function* namedStream(gzipped: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const piece of gzipped) {
    yield isFirst ? named(piece) : piece;
    isFirst = false;
  }
}
