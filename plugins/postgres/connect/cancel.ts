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
const CANCEL_LIMIT_MS = 5_000;

/**
 * Cancels the statement that a session runs, as the protocol does it: on a connection of its own, without a login. So it
 * works when all sessions are busy. Resolves when the server has sent the signal, and closed the connection.
 */
export async function cancelStatement(
  { host, port }: HostAddress,
  tls: ConnectionOptions | false,
  { processID, secretKey }: SessionKey,
): Promise<void> {
  const socket = host.startsWith("/") ? connectSocket(`${host}/.s.PGSQL.${port}`) : connectSocket(port, host);
  socket.setTimeout(CANCEL_LIMIT_MS, () => socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  // A server that can't be reached has ended its statements.
  socket.on("error", () => undefined);
  const wire = tls === false ? socket : await encrypted(socket, host, tls);
  wire.on("error", () => socket.destroy());
  wire.write(message(CANCEL_REQUEST, processID, secretKey));
  wire.resume();
  await closed;
}

/** Waits for the answer of the server, one byte, before the handshake. */
async function encrypted(socket: Socket, host: string, tls: ConnectionOptions): Promise<Socket> {
  socket.write(message(TLS_REQUEST));
  await new Promise<void>((resolve) => {
    socket.once("data", () => resolve());
    socket.once("close", () => resolve());
  });
  return connectTls({ socket, host, ...(isIP(host) === 0 && { servername: host }), ...tls });
}

/** Whole numbers of four bytes, after the length of the message. */
function message(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * (numbers.length + 1));
  bytes.writeInt32BE(bytes.length, 0);
  numbers.forEach((number, index) => bytes.writeInt32BE(number, 4 * (index + 1)));
  return bytes;
}
