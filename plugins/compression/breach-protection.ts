import { randomInt } from "node:crypto";
import type { Actor, Reply, Request } from "rowhouse/plugin-api";

interface ReplyContext {
  readonly value: Reply;
  readonly request: Request;
  readonly actor: Actor | null;
}

/** How a reply may be compressed: with its exact length, with a random length, or not at all. */
export type CompressionPolicy = "exact" | "padded" | "off";

/**
 * Protects against the BREACH attack. An attacker who can observe the network and make the victim's browser request a
 * page with guesses in its URL could learn secrets on the page from its compressed length.
 *
 * - Pages for which the browser sends a cookie are compressed only for requests of our own pages or of the address
 *   bar, and with random padding.
 * - Browsers never add bearer tokens themselves, so other pages are not affected.
 * - `no-transform` forbids compression. Form tokens are masked on each page.
 */
export function compressionPolicy({ value, request, actor }: ReplyContext): CompressionPolicy {
  const caching = String(value.headers["cache-control"] ?? "");
  if (/\bno-transform\b/.test(caching)) return "off";
  // Public replies, such as scripts and styles, contain no secrets.
  if (/\bpublic\b/.test(caching)) return "exact";
  if (actor === null || request.headers["cookie"] === undefined) return "exact";
  return mayBeCrossSite(request) ? "off" : "padded";
}

function mayBeCrossSite({ headers, secure }: Request): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  // Browsers omit the header over plain HTTP. There, an attacker can read the page anyway.
  return secure;
}

const HEADER_BYTES = 10;
const FLAGS = 3;
const HAS_NAME = 0x08;
const MAX_NAME_BYTES = 255;

/**
 * Adds a file name of random length to the gzip header; decoders skip it. Guessing one character from the length then
 * takes thousands of requests. The padding is part of the body, so proxies do not remove it.
 */
export const withRandomLength = (gzipped: Buffer | AsyncIterable<Buffer>): typeof gzipped =>
  Buffer.isBuffer(gzipped) ? withFileName(gzipped) : withFileNameInStream(gzipped);

function withFileName(gzipped: Buffer): Buffer {
  const header = Buffer.from(gzipped.subarray(0, HEADER_BYTES));
  header[FLAGS] = (header[FLAGS] ?? 0) | HAS_NAME;
  const name = Buffer.from(`${"x".repeat(randomInt(MAX_NAME_BYTES + 1))}\0`);
  return Buffer.concat([header, name, gzipped.subarray(HEADER_BYTES)]);
}

/** The first chunk contains the whole header. */
async function* withFileNameInStream(gzipped: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const piece of gzipped) {
    yield isFirst ? withFileName(piece) : piece;
    isFirst = false;
  }
}
