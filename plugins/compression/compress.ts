import { Readable, pipeline } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import { isBodyStream, lazyBody, reply } from "rowhouse/plugin-api";
import type { Reply, ReplyBody, ReplyHeaders, Request } from "rowhouse/plugin-api";
import Negotiator from "negotiator";
import { withRandomLength } from "./breach-protection.js";
import type { CompressionPolicy } from "./breach-protection.js";

// Below this a packet is a packet.
const MIN_BYTES = 1024;

const TEXT = /^(?:text\/(?!event-stream)|application\/(?:json|javascript|manifest\+json)|image\/svg\+xml)/;

/** By what a length may tell: only gzip has room for bytes that mean nothing. */
const CODINGS: Readonly<Record<Exclude<CompressionPolicy, "nothing">, readonly Coding[]>> = {
  anything: ["br", "gzip"],
  about: ["gzip"],
};

/** The reply in the best coding that the client takes, or as it is. */
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
    body: policy === "about" ? withRandomLength(encoded) : encoded,
  };
}

/**
 * Might this page come in another coding? Of 304 the headers are those of the page it stands for. A part of a file
 * (206) is counted in bytes of the file as it is.
 */
const isNegotiated = ({ headers, status }: Reply): boolean =>
  headers["content-encoding"] === undefined &&
  status !== 206 &&
  (status === 304 || TEXT.test(String(headers["content-type"] ?? "")));

const isLargeEnough = ({ body, status }: Reply): boolean =>
  status !== 304 && (isBodyStream(body) || body.length >= MIN_BYTES);

const weakTag = ({ etag }: ReplyHeaders): ReplyHeaders =>
  typeof etag === "string" && etag.startsWith('"') ? { etag: `W/${etag}` } : {};

// As quick as gzip at its default level, and smaller.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const gzipped = promisify<string | Uint8Array, Buffer>(gzip);
const brotlied = promisify<string | Uint8Array, typeof BROTLI, Buffer>(brotliCompress);

async function encode(body: ReplyBody, coding: Coding): Promise<Buffer | AsyncIterable<Buffer>> {
  if (!isBodyStream(body)) return coding === "br" ? brotlied(body, BROTLI) : gzipped(body);
  // The coder is made when the first piece is read: a body that is not sent has none to close.
  return lazyBody(() => {
    const coder = coding === "br" ? createBrotliCompress(BROTLI) : createGzip();
    // A failure reaches the reader through the coder, which it destroys.
    return pipeline(Readable.from(body), coder, () => undefined);
  }) as AsyncIterable<Buffer>;
}

export type Coding = "br" | "gzip";

/** The first of `codings` that an `Accept-Encoding` header allows; null for none. */
export function chooseCoding(header: string | undefined, codings: readonly Coding[]): Coding | null {
  const allowed = new Negotiator({ headers: { "accept-encoding": header } }).encodings(codings);
  return codings.find((coding) => allowed.includes(coding)) ?? null;
}
