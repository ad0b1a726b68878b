import type { DatabaseLoad } from "rowhouse/plugin-api/engine";
import { DatabaseUnavailable, ReadOnlyDatabase } from "rowhouse/plugin-api/errors";
import type { DatabaseAddress, HostAddress } from "./address.js";
import { clientReads } from "./client-reads.js";
import { causeOf, isConnectionLost } from "./errors.js";
import { Hosts, logPosition, type HostReport } from "./hosts.js";
import { SessionPool } from "./pool.js";
import type { Session } from "./session.js";
import { StatementNames } from "./statement-names.js";

/** A kind of sessions: to read for Rowhouse, to write, or to run untrusted SQL. */
export type Purpose = "read" | "write" | "untrusted";

export interface ClusterPlan {
  /** The name of the database in this process. */
  readonly name: string;
  readonly address: DatabaseAddress;
  /** The password of a role on a server. */
  readonly password: (host: HostAddress, user: string) => Promise<string | undefined>;
  readonly maxLagSeconds: number;
  /** Sessions with each server, by purpose. */
  readonly sizes: Readonly<Record<Purpose, number>>;
  /** The longest untrusted statement, in milliseconds. The server enforces it. */
  readonly untrustedTimeoutMs: number;
  /** How long a statement waits for locks of others, unless a write says otherwise. */
  readonly lockWaitMs: number;
}

/** A standby that receives nothing, because its connection is lost, does not know how far behind it is. */
const REPORT = `
  select pg_is_in_recovery(),
    case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
    case when not pg_is_in_recovery() or (pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
      and exists (select from pg_stat_wal_receiver)) then 0
      else extract(epoch from now() - pg_last_xact_replay_timestamp()) end,
    case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end`;
/** The greatest size of a row as the server sends it, and of a result of untrusted SQL. */
export const MAX_BYTES = { untrusted: 50_000_000, trusted: 400_000_000 } as const;
const PROBE_LIMIT_MS = 2_000;

/** A session pool, and the server with which it is. */
interface PoolOfHost {
  readonly pool: SessionPool;
  readonly host: HostAddress;
}

interface SessionOfHost {
  readonly session: Session;
  readonly host: HostAddress;
}

/** The sessions with all servers of a cluster, opened when they are first needed. */
export class Cluster {
  readonly hosts: Hosts;
  readonly names = new StatementNames();
  #closed = false;
  readonly #pools = new Map<string, Promise<SessionPool>>();
  readonly #reading = new Set<SessionPool>();

  constructor(private readonly plan: ClusterPlan) {
    this.hosts = new Hosts({
      addresses: plan.address.hosts,
      maxLagSeconds: plan.maxLagSeconds,
      probe: (host) => this.#report(host),
    });
  }

  /** A session for a purpose, which the caller releases, and its server. */
  async borrow(purpose: Purpose): Promise<SessionOfHost> {
    const { pool, host } = await this.#poolFor(purpose);
    try {
      return { session: await pool.borrow(), host };
    } catch (error) {
      this.noteError(host, error, purpose);
      throw error;
    }
  }

  /** Runs work on a session for a purpose. */
  async use<T>(purpose: Purpose, work: (session: Session) => Promise<T>): Promise<T> {
    const { pool, host } = await this.#poolFor(purpose);
    try {
      return await (purpose === "read" ? pool.read(work) : pool.use(work));
    } catch (error) {
      this.noteError(host, error, purpose);
      throw error;
    }
  }

  /** The server to read from, which is the same for all reads of a request as long as it can be reached. */
  async readingHost(): Promise<HostAddress> {
    const client = clientReads.getStore();
    if (client === undefined) return this.hosts.reader();
    const kept = client.host(this);
    if (kept !== null && this.hosts.isUsable(kept)) return kept;
    const host = client.onPrimary
      ? await this.hosts.primary().catch(() => this.hosts.reader(client.floor(this.plan.name)))
      : await this.hosts.reader(client.floor(this.plan.name));
    client.keepHost(this, host);
    return host;
  }

  /** Remembers the log position of a commit, which later reads of its client must include. */
  noteWrite(position: bigint): void {
    this.hosts.noteWrite(position);
    clientReads.getStore()?.noteWrite(this.plan.name, position);
  }

  /** Takes a server out of use if the error is one of the server and not of the statement. */
  noteError(host: HostAddress, error: unknown, purpose: Purpose): void {
    // Sessions that read are read-only on every server: there, only the statement is wrong.
    const isWrongServer = purpose === "write" && error instanceof ReadOnlyDatabase;
    if (isConnectionLost(causeOf(error)) || isWrongServer) this.hosts.noteFailure(host);
  }

  /** Sessions that read on all servers: those in use, and how many callers wait for one. */
  get load(): Pick<DatabaseLoad, "runningReads" | "waitingReads"> {
    const loads = [...this.#reading].map(({ load }) => load);
    return {
      runningReads: loads.reduce((sum, { lent }) => sum + lent, 0),
      waitingReads: loads.reduce((sum, { waiting }) => sum + waiting, 0),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    const pools = await Promise.allSettled(this.#pools.values());
    this.#pools.clear();
    await Promise.all(pools.map((one) => (one.status === "fulfilled" ? one.value.close() : null)));
  }

  async #report(host: HostAddress): Promise<HostReport> {
    const pool = await this.#pool(host, "read");
    const { rows } = await pool.read((session) =>
      session.run({ text: REPORT, values: [] }, { timeLimitMs: PROBE_LIMIT_MS }),
    );
    const [isStandbyText, position, lag, timeline] = rows[0] ?? [];
    return {
      role: isStandbyText === "t" ? "standby" : "primary",
      timeline: Number.parseInt(timeline ?? "0", 16),
      position: logPosition(position ?? "0/0"),
      lagSeconds: Number(lag ?? 0),
    };
  }

  /** Idle sessions for one purpose must not keep those for another from being opened. */
  async #closeIdleExcept(own: string): Promise<void> {
    const others = [...this.#pools].filter(([key]) => key !== own);
    await Promise.allSettled(others.map(async ([, pool]) => (await pool).closeIdle()));
  }

  /** The sessions for a purpose, with the server that is to be used now. */
  async #poolFor(purpose: Purpose): Promise<PoolOfHost> {
    const host = purpose === "write" ? await this.hosts.primary() : await this.readingHost();
    return { pool: await this.#pool(host, purpose), host };
  }

  #pool(host: HostAddress, purpose: Purpose): Promise<SessionPool> {
    if (this.#closed) throw new DatabaseUnavailable("The database is closed.");
    const key = `${purpose} ${host.host} ${host.port}`;
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    const { address, sizes, password, untrustedTimeoutMs, lockWaitMs } = this.plan;
    const user = purpose === "untrusted" ? (address.readRole ?? address.user) : address.user;
    const opening = SessionPool.open({
      address,
      host,
      user,
      password: () => password(host, user),
      size: sizes[purpose],
      readOnly: purpose !== "write",
      // Untrusted SQL is hardly ever repeated, and would take memory of the server.
      names: purpose === "untrusted" ? null : this.names,
      statementTimeoutMs: purpose === "untrusted" ? untrustedTimeoutMs : 0,
      maxRowBytes: purpose === "untrusted" ? MAX_BYTES.untrusted : MAX_BYTES.trusted,
      // Reading the definition of a view or a default waits for locks, and every page needs the schema.
      lockWaitMs,
      makeRoom: () => this.#closeIdleExcept(key),
    });
    this.#pools.set(key, opening);
    opening.then(
      (pool) => purpose !== "write" && this.#reading.add(pool),
      // Such as a certificate that could not be read: the next request tries again.
      () => this.#pools.delete(key),
    );
    return opening;
  }
}
