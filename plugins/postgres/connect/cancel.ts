import { connect as connectSocket, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import type { HostAddress } from "./address.js";

/** A session as its server knows it. A pooler such as PgBouncer has numbers of its own, and passes requests on. */
export interface SessionKey {
  readonly processID: number;
  readonly secretKey: number;
}

const CANCEL_REQUEST = 80_877_102;
const TLS_REQUEST = 80_877_103;
const ACCEPTS_TLS = "S".charCodeAt(0);
const ANSWER_LIMIT_MS = 5_000;

/**
 * Cancels the statement that a session runs, as the protocol does it: on a connection of its own, without a login. So it
 * works when all sessions are busy. Resolves when the server has sent the signal, and closed the connection.
 */
export async function cancelStatement(
  { host, port }: HostAddress,
  tls: ConnectionOptions | false,
  { processID, secretKey }: SessionKey,
): Promise<void> {
  const socket = socketTo({ host, port });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const wire = tls === false ? socket : await encrypted(socket, host, tls);
  wire.on("error", () => socket.destroy());
  wire.write(message(CANCEL_REQUEST, processID, secretKey));
  wire.resume();
  await closed;
}

/** False if a server neither answers nor refuses a connection within five seconds. */
export async function isAnswering(address: HostAddress): Promise<boolean> {
  const socket = socketTo(address);
  let isSilent = false;
  socket.once("timeout", () => (isSilent = true));
  const answer = await answerToTlsRequest(socket);
  // A server logs a connection that ends during the handshake, and not one that ends after it.
  if (answer === ACCEPTS_TLS) endAfterHandshake(connectTls({ socket, rejectUnauthorized: false }));
  else socket.destroy();
  return !isSilent;
}

const endAfterHandshake = (wire: Socket): void =>
  void wire.once("secureConnect", () => wire.end()).on("error", () => wire.destroy());

/** A connection that is closed if nothing arrives for five seconds. */
function socketTo({ host, port }: HostAddress): Socket {
  const socket = host.startsWith("/") ? connectSocket(`${host}/.s.PGSQL.${port}`) : connectSocket(port, host);
  socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy());
  // A server that can't be reached has ended its statements.
  socket.on("error", () => undefined);
  return socket;
}

/** The handshake begins after it. */
async function encrypted(socket: Socket, host: string, tls: ConnectionOptions): Promise<Socket> {
  await answerToTlsRequest(socket);
  return connectTls({ socket, host, ...(isIP(host) === 0 && { servername: host }), ...tls });
}

/** The answer of the server, one byte; null if the connection ends before. */
function answerToTlsRequest(socket: Socket): Promise<number | null> {
  socket.write(message(TLS_REQUEST));
  return new Promise((resolve) => {
    socket.once("data", (bytes: Buffer) => resolve(bytes[0] ?? null));
    socket.once("close", () => resolve(null));
  });
}

/** Whole numbers of four bytes, after the length of the message. */
function message(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * (numbers.length + 1));
  bytes.writeInt32BE(bytes.length, 0);
  numbers.forEach((number, index) => bytes.writeInt32BE(number, 4 * (index + 1)));
  return bytes;
}
