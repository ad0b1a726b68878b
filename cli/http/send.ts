import type { ServerResponse } from "node:http";
import {
  closeBody,
  isBodyStream,
  PIECE_LENGTH,
  shortPieces,
  TimeSlices,
  type BodyStream,
} from "rowhouse/plugin-api/http";
import type { Reply } from "rowhouse/plugin-api";

/** Node writes the text of most JSON documents together with the headers, which is as fast. */
const SHORT_LENGTH = 32_768;

const BYTES_PER_CHARACTER = 3;
const encoder = new TextEncoder();
/** Bodies are encoded here and then copied, because to reserve three bytes for each character takes longer. */
let scratch = new Uint8Array(0);

/** The text in UTF-8. The socket would count its bytes first, and encode it at half the speed. */
function encoded(text: string): Buffer {
  if (scratch.length === 0) scratch = new Uint8Array(PIECE_LENGTH * BYTES_PER_CHARACTER);
  const { written } = encoder.encodeInto(text, scratch);
  return Buffer.from(scratch.subarray(0, written));
}

/** The arguments of `send`. */
export interface SendOptions {
  readonly headOnly: boolean;
  /** Receives the number of bytes of the body that were written, also if sending fails. */
  readonly sent: { bytes: number };
}

/**
 * Writes a reply; for HEAD without its body. Settles when nothing more will be written. A body in pieces is closed
 * in every case: sent to its end, not sent at all, failed, or left by the client.
 *
 * @throws whatever the body throws. As long as its first piece has not come, nothing is written yet
 *   (`response.headersSent` is false) and another reply can be sent.
 */
export async function send(
  response: ServerResponse,
  reply: Reply,
  { headOnly, sent }: SendOptions,
): Promise<void> {
  const { body } = reply;
  if (!isBodyStream(body)) {
    if (headOnly) return sendHead(response, reply, body);
    if (body.length > PIECE_LENGTH) {
      // Only now V8 puts the pieces of a long text together, which takes longer than a slice.
      await new TimeSlices().next();
      const headers = { ...reply.headers, "content-length": String(Buffer.byteLength(body)) };
      return sendPieces(response, { ...reply, headers }, asStream(body), sent);
    }
    const whole = typeof body === "string" && body.length > SHORT_LENGTH ? encoded(body) : body;
    sent.bytes = Buffer.byteLength(whole);
    writeHead(response, reply);
    response.end(whole);
    return;
  }
  try {
    if (headOnly) {
      writeHead(response, reply);
      response.end();
    } else {
      await untilClosed(response, sendPieces(response, reply, body, sent));
    }
  } finally {
    closeBody(body);
  }
}

function writeHead(response: ServerResponse, { status, headers }: Reply): void {
  response.statusCode = status;
  for (const name of Object.keys(headers)) response.setHeader(name, headers[name] as string | string[]);
}

function sendHead(response: ServerResponse, reply: Reply, body: string | Uint8Array): void {
  writeHead(response, reply);
  // The length of the body that is left out. A page without a body may be one that was not made for HEAD.
  const hasLength = body.length > 0 || (reply.status >= 300 && reply.status !== 304);
  if (hasLength) response.setHeader("content-length", Buffer.byteLength(body));
  response.end();
}

async function* asStream(body: string | Uint8Array): AsyncGenerator<string | Uint8Array> {
  yield body;
}

/** Writes as fast as the client reads. A body that fails midway cuts the connection, so that the client notices. */
async function sendPieces(
  response: ServerResponse,
  reply: Reply,
  body: BodyStream,
  sent: SendOptions["sent"],
): Promise<void> {
  // Ends a source that waits for something else than this client; a client that left reads no further piece.
  const left = (): void => closeBody(body);
  // Middleware may end the response while pieces are written; without a listener that error ends the process.
  response.on("error", left).once("close", left);
  const announced = Number(reply.headers["content-length"] ?? NaN);
  let written = 0;
  const slices = new TimeSlices();
  const hasEnded = (): boolean => response.destroyed || response.writableEnded;
  const write = async (piece: string | Uint8Array): Promise<void> => {
    if (hasEnded()) return;
    if (!response.headersSent) writeHead(response, reply);
    written += Buffer.byteLength(piece);
    sent.bytes = written;
    // A client would take the rest for the beginning of the next reply.
    if (written > announced) throw new Error(`The body is longer than the ${announced} bytes announced`);
    if (!response.write(piece)) await roomIn(response);
    // A socket with room reports it without a turn of the event loop.
    if (slices.isOver) await slices.next();
  };
  try {
    for await (const piece of body) {
      for (const part of shortPieces(piece)) await write(part);
      if (hasEnded()) break;
    }
    // A file that became shorter, or middleware that ended the response: the client would wait for the rest.
    if (written < announced) throw new Error(`The body ended after ${written} of ${announced} bytes`);
    if (!response.headersSent) writeHead(response, reply);
    response.end();
  } catch (error) {
    if (response.headersSent) response.destroy();
    throw error;
  }
}

/** Settles at the latest when the connection closes. A body that waits for its next piece may wait forever. */
async function untilClosed(response: ServerResponse, sending: Promise<void>): Promise<void> {
  const closed = new Promise<void>((resolve) => response.once("close", resolve));
  await Promise.race([sending, closed]);
}

/** Resolves when more may be written or the client has left; leaves no listener behind. */
function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.once("drain", done).once("close", done);
  });
}
