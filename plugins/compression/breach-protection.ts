import { randomInt } from "node:crypto";
import type { Actor, Reply, Request } from "rowhouse/plugin-api";

interface ReplyContext {
  readonly value: Reply;
  readonly request: Request;
  readonly actor: Actor | null;
}

/** What the length of a reply may tell those who can only watch it pass. */
export type CompressionPolicy = "anything" | "about" | "nothing";

/**
 * The compressed length of a page would tell what is secret on it, bit by bit, to who can watch the line and put
 * guesses into the page by making the visitor's browser ask for it again and again. What only a cookie opens is
 * therefore compressed where the visitor or our own pages asked for it, and then with a length that is a little
 * random. A bearer token no browser sends by itself. Form tokens are masked, and `no-transform` says that nobody
 * shall compress.
 */
export function compressionPolicy({ value, request, actor }: ReplyContext): CompressionPolicy {
  const caching = String(value.headers["cache-control"] ?? "");
  if (/\bno-transform\b/.test(caching)) return "nothing";
  // The same for everybody, as our scripts and styles are.
  if (/\bpublic\b/.test(caching)) return "anything";
  if (actor === null || request.headers["cookie"] === undefined) return "anything";
  return mayBeCrossSite(request) ? "nothing" : "about";
}

function mayBeCrossSite({ headers, secure }: Request): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  // Over plain HTTP browsers don't say, but there whoever watches can read.
  return secure;
}

const HEADER_BYTES = 10;
const FLAGS = 3;
const HAS_NAME = 0x08;
const MAX_NAME_BYTES = 255;

/**
 * Gzipped bytes with a file name of random length, which readers skip: so long that guessing at the page by its
 * length takes thousands of tries for one character, and inside of the body, which proxies pass on whole.
 */
export const withRandomLength = (gzipped: Buffer | AsyncIterable<Buffer>): typeof gzipped =>
  Buffer.isBuffer(gzipped) ? named(gzipped) : namedStream(gzipped);

function named(gzipped: Buffer): Buffer {
  const header = Buffer.from(gzipped.subarray(0, HEADER_BYTES));
  header[FLAGS] = (header[FLAGS] ?? 0) | HAS_NAME;
  const name = Buffer.from(`${"x".repeat(randomInt(MAX_NAME_BYTES + 1))}\0`);
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
