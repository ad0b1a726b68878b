import { readFile } from "node:fs/promises";
import type { ConnectionOptions } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool, type PoolClient, type PoolConfig } from "pg";
import { quoteIdentifier, StartupError } from "rowhouse/plugin-api";
import { DatabaseUnavailable } from "rowhouse/plugin-api/errors";
import type { DatabaseAddress, HostAddress } from "./address.js";
import { cancelStatement, isAnswering } from "./cancel.js";
import { asRowhouseError, isPoolFull, isTooManySessions, PROTOCOL_VIOLATION } from "./errors.js";
import { Session, type SessionPlan } from "./session.js";
import { SilentServer } from "./silent-server.js";
import type { StatementNames } from "./statement-names.js";

/** How the sessions of a pool log in. */
export interface PoolPlan {
  readonly address: DatabaseAddress;
  readonly host: HostAddress;
  readonly user: string;
  readonly password: () => Promise<string | undefined>;
  /** The greatest number of sessions. */
  readonly size: number;
  readonly readOnly: boolean;
  /** Names for statements that are used often, which are prepared; null to prepare none. */
  readonly names: StatementNames | null;
  /** Enforced by the server, also if this process dies. Milliseconds; 0 for none. */
  readonly statementTimeoutMs: number;
  /** The greatest size of a row as the server sends it. */
  readonly maxRowBytes: number;
  /** How long a statement waits for locks of others, in milliseconds. */
  readonly lockWaitMs: number;
  /** Closes sessions that are not in use, if the server allows no more sessions. */
  readonly makeRoom: () => Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_MS = 60_000;
const FULL_SERVER_RETRY_MS = 50;

/** Sessions with one server under one role. */
export class SessionPool {
  readonly #pool: Pool;
  readonly #session: Omit<SessionPlan, "prepared">;
  readonly #prepared = new WeakMap<object, Set<string>>();
  #closed = false;

  private constructor(
    private readonly plan: PoolPlan,
    tls: ConnectionOptions | false,
  ) {
    this.#pool = new Pool(configOf(plan, tls));
    const { poolsTransactions } = plan.address;
    this.#session = {
      cancel: (session) => cancelStatement(plan.host, tls, session),
      // Another session of the server does not know the statements.
      names: poolsTransactions ? null : plan.names,
      maxRowBytes: plan.maxRowBytes,
      transactionSettings: poolsTransactions ? transactionSettings(plan) : null,
    };
    // A session that ends while it is idle is replaced when the next one is needed. The statement of a session that
    // ends while it is in use fails; the event comes as well.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
    const server = new SilentServer(() => isAnswering(plan.host));
    this.#pool.on("connect", (client) => server.opened(client));
    this.#pool.on("acquire", (client) => server.borrowed(client));
    this.#pool.on("release", (_error, client) => server.returned(client));
  }

  static async open(plan: PoolPlan): Promise<SessionPool> {
    return new SessionPool(plan, await tlsOf(plan.address));
  }

  /** A session whose caller begins its own transactions. */
  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.borrow();
    let failure: unknown;
    try {
      return await work(session);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      session.release(failure);
    }
  }

  /** Runs statements that read, which need not see the same snapshot. */
  read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.use((session) => session.withSettings(work));
  }

  /** A session, which the caller must release. @throws DatabaseUnavailable */
  async borrow(): Promise<Session> {
    if (this.#closed) throw new DatabaseUnavailable("The database is closed.");
    try {
      const client = await this.#connect();
      const prepared = this.#prepared.get(client) ?? new Set<string>();
      this.#prepared.set(client, prepared);
      return new Session(client, { prepared, ...this.#session });
    } catch (error) {
      throw connectionError(error);
    }
  }

  /** A free session or a new one. If the server allows no more sessions, waits until one of them is free. */
  async #connect(): Promise<PoolClient> {
    const deadlineMs = performance.now() + CONNECT_TIMEOUT_MS;
    for (;;) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        if (!isTooManySessions(error) || performance.now() > deadlineMs) throw error;
        await this.plan.makeRoom();
        await sleep(FULL_SERVER_RETRY_MS);
      }
    }
  }

  /** Closes a session that is not in use, if there is one. */
  async closeIdle(): Promise<void> {
    if (this.#pool.idleCount === 0) return;
    // Meanwhile, another caller may have taken it.
    const client = await this.#pool.connect().catch(() => null);
    client?.release(true);
  }

  /** Sessions that are in use, and callers that wait for one. */
  get load(): { readonly lent: number; readonly waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { lent: totalCount - idleCount, waiting: waitingCount };
  }

  /** Waits for sessions that are in use. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#pool.end();
  }
}

const NO_SUCH_DATABASE = "3D000";
/** Codes of TLS errors about certificates. */
const ABOUT_CERTIFICATE = /CERT|ISSUER|UNABLE_TO_VERIFY|ALTNAME/;

function connectionError(error: unknown): Error {
  const { message = "", code = "" } = error as Error & { readonly code?: string };
  if (isPoolFull(error))
    return new DatabaseUnavailable("Too many queries are waiting for this database.", { cause: error });
  if (ABOUT_CERTIFICATE.test(code))
    return new DatabaseUnavailable(`The certificate of the database server can't be verified: ${code}`, {
      cause: error,
    });
  if (message.includes("does not support SSL"))
    return new DatabaseUnavailable("The database server does not encrypt connections. See sslmode.", {
      cause: error,
    });
  if (code === NO_SUCH_DATABASE)
    return new DatabaseUnavailable("The server has no database with this name.", { cause: error });
  const known = asRowhouseError(error);
  return known instanceof DatabaseUnavailable && code !== PROTOCOL_VIOLATION
    ? known
    : new DatabaseUnavailable("The database server rejected the connection.", { cause: error });
}

function configOf(plan: PoolPlan, ssl: ConnectionOptions | false): PoolConfig {
  const { address, host, user, password, size } = plan;
  return {
    host: host.host,
    port: host.port,
    user,
    database: address.database,
    // The client's types do not say so, but without a password it logs in without one.
    password: async () => (await password()) ?? "",
    ssl,
    max: size,
    // Statements that do not wait for each other are sent together.
    pipeline: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_MS,
    application_name: "rowhouse",
    keepAlive: true,
    allowExitOnIdle: true,
    onConnect: async (client) => {
      if (address.poolsTransactions) return;
      // Alone, because the timeout of the role is in force until the end of the message that replaces it.
      const withoutTimeout = client.query(`set statement_timeout to ${plan.statementTimeoutMs}`);
      await Promise.all([withoutTimeout, client.query(sessionSettings(plan))]);
    },
  };
}

/** The setting of a session or a transaction. For the server, 0 is no limit. */
export const lockTimeout = (waitMs: number): string => `lock_timeout to ${Math.max(1, Math.round(waitMs))}`;

const sessionSettings = (plan: PoolPlan): string =>
  statements("set", [
    ...settingsOf(plan),
    `default_transaction_read_only to ${plan.readOnly ? "on" : "off"}`,
    // Transactions that are begun name their level.
    "default_transaction_isolation to 'read committed'",
  ]);

const transactionSettings = (plan: PoolPlan): string =>
  statements("set local", [...settingsOf(plan), `transaction_read_only to ${plan.readOnly ? "on" : "off"}`]);

const statements = (command: string, settings: readonly string[]): string =>
  settings.map((setting) => `${command} ${setting}`).join("; ");

/** Settings that decide how values and names are written and read, and where names are looked up. */
const settingsOf = (plan: PoolPlan): readonly string[] => [
  `search_path to ${quoteIdentifier(plan.address.schema)}, public`,
  "timezone to 'UTC'",
  "datestyle to 'ISO, MDY'",
  "intervalstyle to 'iso_8601'",
  "bytea_output to 'hex'",
  "extra_float_digits to 1",
  "client_encoding to 'UTF8'",
  "standard_conforming_strings to on",
  "quote_all_identifiers to off",
  "array_nulls to on",
  "xmloption to content",
  `statement_timeout to ${plan.statementTimeoutMs}`,
  lockTimeout(plan.lockWaitMs),
  // A stream waits for its client inside of a transaction.
  "idle_in_transaction_session_timeout to 0",
];

async function tlsOf({ sslMode, sslRootCert }: DatabaseAddress): Promise<ConnectionOptions | false> {
  if (sslMode === "verify-full") {
    const ca = sslRootCert === null ? undefined : await readFile(sslRootCert, "utf8").catch(unreadable);
    return { rejectUnauthorized: true, ...(ca !== undefined && { ca }) };
  }
  return sslMode === "require" ? { rejectUnauthorized: false } : false;
}

const unreadable = (error: unknown): never => {
  throw new StartupError("Could not read the file of sslrootcert", 1, { cause: error });
};
