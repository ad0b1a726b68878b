import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { StartupError } from "rowhouse/plugin-api";
import type { PartialChoices } from "../arguments/choices.js";
import { readKeyPair, type KeyPair } from "./key-pair.js";
import { cannotListen, ensureSocketFree } from "./unix-socket.js";

/** The address of the server. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** A Unix socket instead of host and port. */
  readonly uds?: string;
  readonly tls?: KeyPair;
}

/**
 * @throws StartupError if only the key or only the certificate is given, or if they can't be used together
 */
export function addressOf({ host, port, uds, sslKeyfile, sslCertfile }: PartialChoices): Address {
  if ((sslKeyfile === undefined) !== (sslCertfile === undefined)) {
    throw new StartupError("--ssl-keyfile and --ssl-certfile must be given together");
  }
  return {
    host: host ?? "127.0.0.1",
    port: port ?? 8001,
    ...(uds !== undefined && { uds }),
    ...(sslKeyfile !== undefined &&
      sslCertfile !== undefined && {
        tls: readKeyPair(sslKeyfile, sslCertfile),
      }),
  };
}

/**
 * Checks that the address is free before anything is started.
 *
 * @throws StartupError naming the address and the reason
 */
export async function ensureFree({ host, port, uds }: Address): Promise<void> {
  if (uds !== undefined) return ensureSocketFree(uds);
  const probe = createServer();
  return new Promise<void>((resolve, reject) => {
    probe.once("error", (error) => reject(addressError(error, { host, port })));
    // The probe serves no requests: it is exclusive, and closed at once.
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}

/** Systems take the ports of outgoing connections from 32,768 up. */
const CHOSEN_PORTS = { first: 10_000, count: 20_000 };
const ATTEMPTS = 20;

/**
 * The port for processes that start one after the other; for port 0 a free one, which no outgoing connection can get until
 * it is used.
 *
 * @throws StartupError naming the address and the reason
 */
export async function lastingPort(address: Address): Promise<number> {
  if (address.port !== 0 || address.uds !== undefined) {
    await ensureFree(address);
    return address.port;
  }
  for (let attempt = 1; ; attempt += 1) {
    const port = CHOSEN_PORTS.first + randomInt(CHOSEN_PORTS.count);
    try {
      await ensureFree({ ...address, port });
      return port;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "the address is already in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "no such host",
};

/** The error of the system as a message. */
export function addressError(
  error: NodeJS.ErrnoException,
  { host, port, uds }: Omit<Address, "tls">,
): StartupError {
  return cannotListen(uds ?? `${host}:${port}`, REASONS[error.code ?? ""] ?? error.message);
}
