import type { IncomingMessage } from "node:http";

/** The client of a request: the other end of its socket, or what another worker says of it. */
export interface Client {
  readonly encrypted: boolean;
  readonly remoteAddress: string | null;
}

const ADDRESS = "x-rowhouse-client-address";
const ENCRYPTED = "x-rowhouse-client-encrypted";

const forwarded = new WeakMap<IncomingMessage, Client>();

/** The client of a request. */
export const clientOf = (message: IncomingMessage): Client =>
  forwarded.get(message) ?? {
    encrypted: "encrypted" in message.socket && message.socket.encrypted === true,
    remoteAddress: message.socket.remoteAddress ?? null,
  };

/** The headers by which a worker passes the client of a request on, as names and values in turn. */
export function clientHeaders(message: IncomingMessage): readonly string[] {
  const { encrypted, remoteAddress } = clientOf(message);
  return [
    ...(remoteAddress === null ? [] : [ADDRESS, remoteAddress]),
    ...(encrypted ? [ENCRYPTED, "1"] : []),
  ];
}

/** True for headers that only workers may send to each other. */
export const isClientHeader = (name: string): boolean => [ADDRESS, ENCRYPTED].includes(name.toLowerCase());

/** Takes the client from the headers. Only for sockets on which nothing but workers can send. */
export function restoreClient(message: IncomingMessage): void {
  const { [ADDRESS]: address, [ENCRYPTED]: encrypted } = message.headers;
  forwarded.set(message, {
    encrypted: encrypted !== undefined,
    remoteAddress: typeof address === "string" ? address : null,
  });
  delete message.headers[ADDRESS];
  delete message.headers[ENCRYPTED];
}
