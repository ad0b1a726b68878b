import { StartupError } from "rowhouse/plugin-api";

/** A server of a cluster. */
export interface HostAddress {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

/** `postgres://user@db1,db2:5433/shop?schema=public&read_role=guest&sslmode=verify-full` */
export interface DatabaseAddress {
  readonly hosts: readonly HostAddress[];
  readonly user: string;
  readonly database: string;
  readonly schema: string;
  /** The login role for untrusted SQL; null if there is none. */
  readonly readRole: string | null;
  readonly sslMode: SslMode;
  /** The file with the certificate of the authority that signed the server's certificate. */
  readonly sslRootCert: string | null;
  /** A pooler gives each transaction another session of the server, so that settings of sessions are lost. */
  readonly poolsTransactions: boolean;
}

/** `require` encrypts without checking who the server is. */
export type SslMode = "disable" | "require" | "verify-full";
const SSL_MODES: readonly string[] = ["disable", "require", "verify-full"];
const ARGUMENTS: readonly string[] = [
  "schema",
  "read_role",
  "sslmode",
  "sslrootcert",
  "host",
  "port",
  "pooler",
];
const DEFAULT_PORT = 5432;
const LAST_PORT = 65_535;

/** True for an address that this engine opens. */
export const isPostgresAddress = (uri: string): boolean => /^postgres(?:ql)?:/i.test(uri);

/**
 * Parses the address of a database.
 *
 * @throws StartupError for an invalid address, and for one with a password: addresses are shown in lists of processes
 */
export function parseAddress(uri: string): DatabaseAddress {
  const [, authority = "", path = "", query = ""] =
    /^postgres(?:ql)?:\/\/([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/is.exec(uri) ?? invalid(uri, "it has no //");
  if (shownAddress(uri) !== uri)
    invalid(uri, "it contains a password. Put it into the file PGPASSFILE or the variable PGPASSWORD");
  const at = authority.lastIndexOf("@");
  const login = at === -1 ? "" : authority.slice(0, at);
  const given = new URLSearchParams(query);
  for (const name of given.keys()) if (!ARGUMENTS.includes(name)) invalid(uri, `unknown argument ${name}`);
  const user = decoded(uri, login) || invalid(uri, "it names no user");
  const database = decoded(uri, path) || user;
  const socket = given.get("host");
  const port = portOf(uri, given.get("port") ?? undefined);
  const hosts = socket === null ? hostsOf(uri, authority.slice(at + 1)) : [{ host: socket, port }];
  const sslMode = given.get("sslmode") ?? (hosts.every(isLocal) ? "disable" : "verify-full");
  if (!SSL_MODES.includes(sslMode)) invalid(uri, `sslmode must be one of ${SSL_MODES.join(", ")}`);
  const pooler = given.get("pooler") ?? "session";
  if (pooler !== "session" && pooler !== "transaction") invalid(uri, "pooler must be session or transaction");
  return {
    hosts,
    user,
    database,
    schema: given.get("schema") ?? "public",
    readRole: given.get("read_role"),
    sslMode: sslMode as SslMode,
    sslRootCert: given.get("sslrootcert"),
    poolsTransactions: pooler === "transaction",
  };
}

function hostsOf(uri: string, list: string): readonly HostAddress[] {
  return list.split(",").map((text) => {
    const [, bracketed, plain, port] =
      /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(text) ?? invalid(uri, `${text} is not a host`);
    const host = decoded(uri, bracketed ?? plain ?? "") || "localhost";
    return { host, port: portOf(uri, port) };
  });
}

function portOf(uri: string, text = String(DEFAULT_PORT)): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port <= LAST_PORT ? port : invalid(uri, `${text} is not a port`);
}

function decoded(uri: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return invalid(uri, `${text} is not percent-encoded`);
  }
}

const isLocal = ({ host }: HostAddress): boolean => /^(?:\/|localhost$|127\.|::1$)/.test(host);

/** The address without anything that could be a secret, for messages and listings. A password may have any character. */
export const shownAddress = (uri: string): string => uri.replace(/^([^:]+:\/\/[^:@/?]*):.*@/s, "$1:***@");

function invalid(uri: string, reason: string): never {
  throw new StartupError(`Invalid database address ${shownAddress(uri)}: ${reason}`);
}
