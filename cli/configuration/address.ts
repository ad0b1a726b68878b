import { createServer, type AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { messageOf, StartupError } from "rowhouse/plugin-api";
import type { PartialChoices } from "../arguments/choices.js";
import { cannotListen, ensureSocketFree } from "./unix-socket.js";

/** The address of the server. */
export interface Address {
  readonly host: string;
  readonly port: number;
  /** A Unix socket instead of host and port. */
  readonly uds?: string;
  readonly tls?: { readonly key: Buffer; readonly cert: Buffer };
}

/**
 * @throws StartupError if only the key or only the certificate is given, or if they do not belong together
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
        tls: keyPair(sslKeyfile, sslCertfile),
      }),
  };
}

function keyPair(keyfile: string, certfile: string): NonNullable<Address["tls"]> {
  const pair = { key: readFileSync(keyfile), cert: readFileSync(certfile) };
  try {
    createSecureContext(pair);
  } catch (error) {
    throw new StartupError(`Could not use ${keyfile} with ${certfile} for TLS: ${messageOf(error)}`);
  }
  return pair;
}

/**
 * Checks that the address is free before anything is started.
 *
 * @returns its port; one that is free for port 0
 * @throws StartupError naming the address and the reason
 */
export async function ensureFree({ host, port, uds }: Address): Promise<number> {
  if (uds !== undefined) {
    await ensureSocketFree(uds);
    return port;
  }
  const probe = createServer();
  return new Promise<number>((resolve, reject) => {
    probe.once("error", (error) => reject(addressError(error, { host, port })));
    // The probe serves no requests: it is exclusive, and closed at once.
    probe.listen({ host, port, exclusive: true }, () => {
      const found = (probe.address() as AddressInfo).port;
      probe.close(() => resolve(found));
    });
  });
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
