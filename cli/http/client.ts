import type { IncomingMessage } from "node:http";
import { clientOf, type MessageWithClient } from "./incoming.js";

const ADDRESS = "x-rowhouse-client-address";
const ENCRYPTED = "x-rowhouse-client-encrypted";

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
export function restoreClient(message: MessageWithClient): void {
  const { [ADDRESS]: address, [ENCRYPTED]: encrypted } = message.headers;
  message.originalClient = {
    encrypted: encrypted !== undefined,
    remoteAddress: typeof address === "string" ? address : null,
  };
  delete message.headers[ADDRESS];
  delete message.headers[ENCRYPTED];
}
