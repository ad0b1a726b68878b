import Negotiator from "negotiator";
import { randomInt } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import {
  definePlugin,
  reply,
  type Actor,
  type Reply,
  type ReplyHeaders,
  type Request,
} from "rowhouse/plugin-api";
import { isBodyStream, lazyBody, type ReplyBody } from "rowhouse/plugin-api/http";

/** Compresses text for clients that accept it. */
export default definePlugin({
  name: "compression",
  deterministic: true,
  unguarded: true,
  finish_reply: {
    // Last, so that the final body is compressed.
    order: "late",
    run: (_rowhouse, { value, request, actor }) => {
      const policy = compressionPolicy({ value, request, actor });
      return policy === "off" ? value : compress(value, request, policy);
    },
  },
});

// Smaller bodies fit into one network packet anyway.
const MIN_BYTES = 1024;

const TEXT = /^(?:text\/(?!event-stream)|application\/(?:json|javascript|manifest\+json)|image\/svg\+xml)/;

/** Codings by policy: only gzip allows padding. */
const CODINGS: Readonly<Record<Exclude<CompressionPolicy, "off">, readonly Coding[]>> = {
  exact: ["br", "gzip"],
  padded: ["gzip"],
};

/** The reply in the best coding that the client accepts, or unchanged. */
function compress(from: Reply, request: Request, policy: keyof typeof CODINGS): Reply | Promise<Reply> {
  if (!isNegotiated(from)) return from;
  const varying = reply.withHeaders(from, { vary: "Accept-Encoding" });
  if (!isLargeEnough(from)) return varying;
  const coding = chooseCoding(request.headers["accept-encoding"], CODINGS[policy]);
  return coding === null ? varying : encodeReply(coding, varying, policy);
}

async function encodeReply(coding: Coding, from: Reply, policy: keyof typeof CODINGS): Promise<Reply> {
  const { "content-length": _length, ...headers } = from.headers;
  const encoded = await encode(from.body, coding);
  return {
    ...from,
    headers: { ...headers, "content-encoding": coding, ...weakTag(headers) },
    body: policy === "padded" ? withRandomLength(encoded) : encoded,
  };
}

/**
 * True if the reply may have several codings. A 304 reply has the headers of the full page. Byte ranges (206) refer to
 * the uncompressed file.
 */
const isNegotiated = ({ headers, status }: Reply): boolean =>
  headers["content-encoding"] === undefined &&
  status !== 206 &&
  (status === 304 || TEXT.test(String(headers["content-type"] ?? "")));

const isLargeEnough = ({ body, status }: Reply): boolean =>
  status !== 304 && (isBodyStream(body) || body.length >= MIN_BYTES);

const weakTag = ({ etag }: ReplyHeaders): ReplyHeaders =>
  typeof etag === "string" && etag.startsWith('"') ? { etag: `W/${etag}` } : {};

// As fast as gzip at its default level, with smaller results.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const gzipped = promisify<string | Uint8Array, Buffer>(gzip);
const brotlied = promisify<string | Uint8Array, typeof BROTLI, Buffer>(brotliCompress);

const ENCODERS: Readonly<Record<Coding, (body: string | Uint8Array) => Promise<Buffer>>> = {
  br: (body) => brotlied(body, BROTLI),
  gzip: (body) => gzipped(body),
};

/** The compressed forms of bodies that are sent several times: bytes are the same object when they come from a cache. */
const encodedBodies: Readonly<Record<Coding, WeakMap<Uint8Array, Buffer>>> = {
  br: new WeakMap(),
  gzip: new WeakMap(),
};

async function encodeWhole(body: string | Uint8Array, coding: Coding): Promise<Buffer> {
  if (typeof body === "string") return ENCODERS[coding](body);
  const encoded = encodedBodies[coding].get(body) ?? (await ENCODERS[coding](body));
  encodedBodies[coding].set(body, encoded);
  return encoded;
}

async function encode(body: ReplyBody, coding: Coding): Promise<Buffer | AsyncIterable<Buffer>> {
  if (!isBodyStream(body)) return encodeWhole(body, coding);
  // The encoder is created when the first chunk is read, so a body that is never sent leaks nothing.
  return lazyBody(() => {
    const encoder = coding === "br" ? createBrotliCompress(BROTLI) : createGzip();
    // pipeline() destroys the encoder on failure, so the reader gets the error.
    return pipeline(Readable.from(body), encoder, () => undefined);
  }) as AsyncIterable<Buffer>;
}

export type Coding = "br" | "gzip";

/** The first of `codings` that an `Accept-Encoding` header allows; null for none. */
export function chooseCoding(header: string | undefined, codings: readonly Coding[]): Coding | null {
  if (header === undefined) return null;
  const allowed = new Negotiator({ headers: { "accept-encoding": header } }).encodings(codings);
  return codings.find((coding) => allowed.includes(coding)) ?? null;
}

interface ReplyContext {
  readonly value: Reply;
  readonly request: Request;
  readonly actor: Actor | null;
}

/** How a reply may be compressed: with its exact length, with a random length, or not at all. */
type CompressionPolicy = "exact" | "padded" | "off";

/**
 * Protects against the BREACH attack. An attacker who can observe the network and make the victim's browser request a
 * page with guesses in its URL could learn secrets on the page from its compressed length.
 *
 * - Pages for which the browser sends a cookie are compressed only for requests of our own pages or of the address
 *   bar, and with random padding.
 * - Browsers never add bearer tokens themselves, so other pages are not affected.
 * - `no-transform` forbids compression. Form tokens are masked on each page.
 */
function compressionPolicy({ value, request, actor }: ReplyContext): CompressionPolicy {
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
const withRandomLength = (gzipped: Buffer | AsyncIterable<Buffer>): typeof gzipped =>
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
