import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Clients that write, and their request. */
export interface Clients {
  readonly count: number;
  readonly path: string;
  readonly body: string;
}

const HEAD_END = "\r\n\r\n";

/**
 * Clients that each repeat the same request as soon as it is answered. They read only the status of the reply, over a
 * plain socket: client and server share the same cores, so the client must be cheap.
 *
 * @returns requests per second with status 200 or 201
 * @throws Error for any other status
 */
export async function requestsASecond(
  origin: string,
  { count, path, body }: Clients,
  seconds: number,
): Promise<number> {
  const { hostname, port, host } = new URL(origin);
  const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n`;
  const request = Buffer.from(`${head}content-length: ${Buffer.byteLength(body)}${HEAD_END}${body}`);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname).setNoDelay());
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  const began = performance.now();
  const until = began + seconds * 1000;
  const answered = await Promise.all(sockets.map((socket) => sendUntil(until, socket, request)));
  const elapsed = (performance.now() - began) / 1000;
  return answered.reduce((sum, requests) => sum + requests, 0) / elapsed;
}

/** @returns the number of replies */
function sendUntil(until: number, socket: Socket, request: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let answered = 0;
    let text = "";
    socket.on("error", reject).on("close", () => resolve(answered));
    socket.setEncoding("latin1").on("data", (piece: string) => {
      text += piece;
      if (!isWhole(text)) return;
      if (!/^HTTP\/1\.1 20[01] /.test(text)) return void socket.destroy(new Error(text));
      answered += 1;
      text = "";
      if (performance.now() < until) socket.write(request);
      else socket.end();
    });
    socket.write(request);
  });
}

/** True for a complete reply. None of the requested ones contains an empty chunk except the last. */
function isWhole(text: string): boolean {
  const head = text.indexOf(HEAD_END);
  if (head === -1) return false;
  const length = /^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1];
  return length === undefined
    ? text.endsWith(`0${HEAD_END}`)
    : text.length >= head + HEAD_END.length + Number(length);
}
