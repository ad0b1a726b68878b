import { Readable, pipeline } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import { isBodyStream, lazyBody, reply } from "rowhouse/plugin-api";
import type { Reply, ReplyBody, ReplyHeaders, Request } from "rowhouse/plugin-api";
import Negotiator from "negotiator";
import { withRandomLength } from "./breach-protection.js";
import type { CompressionPolicy } from "./breach-protection.js";

// Smaller bodies fit into one network packet anyway.
const MIN_BYTES = 1024;

const TEXT = /^(?:text\/(?!event-stream)|application\/(?:json|javascript|manifest\+json)|image\/svg\+xml)/;

/** Codings by policy: only gzip allows padding. */
const CODINGS: Readonly<Record<Exclude<CompressionPolicy, "off">, readonly Coding[]>> = {
  exact: ["br", "gzip"],
  padded: ["gzip"],
};

/** The reply in the best coding that the client accepts, or unchanged. */
export function compress(
  from: Reply,
  request: Request,
  policy: keyof typeof CODINGS,
): Reply | Promise<Reply> {
  if (!isNegotiated(from)) return from;
  const varying = reply.withHeaders(from, { vary: "Accept-Encoding" });
  const coding = chooseCoding(request.headers["accept-encoding"], CODINGS[policy]);
  return coding === null || !isLargeEnough(from) ? varying : encodeReply(coding, varying, policy);
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

async function encode(body: ReplyBody, coding: Coding): Promise<Buffer | AsyncIterable<Buffer>> {
  if (!isBodyStream(body)) return coding === "br" ? brotlied(body, BROTLI) : gzipped(body);
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
  const allowed = new Negotiator({ headers: { "accept-encoding": header } }).encodings(codings);
  return codings.find((coding) => allowed.includes(coding)) ?? null;
}
