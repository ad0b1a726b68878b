import { DatabaseUnavailable } from "rowhouse/plugin-api/errors";
import type { HostAddress } from "./address.js";

/** What a server answers about itself. */
export interface HostReport {
  readonly role: "primary" | "standby";
  /** Of a primary: each promotion begins the next one. */
  readonly timeline: number;
  /** The position in the write-ahead log that is written (primary) or replayed (standby). */
  readonly position: bigint;
  /** Seconds since the newest replayed commit; 0 for a primary, and for a connected standby that has replayed everything. */
  readonly lagSeconds: number;
}

export interface HostsPlan {
  readonly addresses: readonly HostAddress[];
  /** Asks a server; rejects if it can't be reached. */
  readonly probe: (address: HostAddress) => Promise<HostReport>;
  /** Standbys that are further behind are not read from. */
  readonly maxLagSeconds: number;
  readonly now?: () => number;
}

/** A report is used for this time. */
const FRESH_MS = 1_000;

interface Host {
  readonly address: HostAddress;
  /** Null while it can't be reached. */
  report: HostReport | null;
  probedMs: number;
  probing: Promise<void> | null;
  failures: number;
}

/**
 * Chooses among the servers of a cluster: the primary for writes, one standby for reads. Reads stay with one server as
 * long as it may be used, so that versions and rows come from the same one.
 */
export class Hosts {
  readonly #hosts: readonly Host[];
  readonly #now: () => number;
  /** With one server there is no choice, and a write shows whether it is a primary. */
  readonly #only: HostAddress | null;
  #reading: Host | null = null;
  /** The log position of the last write of this process. */
  #written = 0n;

  constructor(private readonly plan: HostsPlan) {
    this.#hosts = plan.addresses.map((address) => ({
      address,
      report: null,
      probedMs: Number.NEGATIVE_INFINITY,
      probing: null,
      failures: 0,
    }));
    this.#now = plan.now ?? (() => performance.now());
    const [first = null, ...others] = plan.addresses;
    this.#only = others.length === 0 ? first : null;
  }

  get isSingle(): boolean {
    return this.#only !== null;
  }

  /** The server that accepts writes. @throws DatabaseUnavailable while there is none, as during a failover */
  async primary(): Promise<HostAddress> {
    if (this.#only !== null) return this.#only;
    const known = this.#newestPrimary();
    if (known !== undefined && this.#isFresh(known)) return known.address;
    await this.#probeAll(() => this.#newestPrimary() !== undefined);
    const newest = this.#newestPrimary();
    if (newest === undefined) throw new DatabaseUnavailable("No primary server can be reached.");
    return newest.address;
  }

  /** After a failover the old primary may come back for a moment, even with a longer log. */
  #newestPrimary(): Host | undefined {
    const [newest] = this.#hosts
      .filter(({ report }) => report?.role === "primary")
      .toSorted((left, right) => compareLogs(right, left));
    return newest;
  }

  /**
   * The server to read from: a standby that has replayed a position and is not too far behind, else the primary, else
   * any server that can be reached.
   *
   * @param floor the position; by default that of the last write of this process
   */
  async reader(floor = this.#written): Promise<HostAddress> {
    if (this.#only !== null) return this.#only;
    if (this.#hosts.some((host) => !this.#isFresh(host)))
      await this.#probeAll(() => this.#hosts.some(({ report }) => report !== null));
    if (this.#reading !== null && this.#mayRead(this.#reading, floor)) return this.#reading.address;
    const standbys = this.#hosts.filter((host) => this.#mayRead(host, floor));
    const chosen =
      standbys[Math.floor(Math.random() * standbys.length)] ??
      this.#newestPrimary() ??
      this.#hosts.find(({ report }) => report !== null);
    if (chosen === undefined) throw new DatabaseUnavailable("No database server can be reached.");
    // A client that has just written reads from the primary; the others stay with their standby.
    if (this.#reading === null || !this.#mayRead(this.#reading, 0n))
      this.#reading = chosen.report?.role === "standby" ? chosen : null;
    return chosen.address;
  }

  /** False after a failure, until the server answers again. */
  isUsable(address: HostAddress): boolean {
    return this.#hosts.some((host) => host.address === address && host.report !== null);
  }

  /** Remembers the log position of a commit, which later reads must include. */
  noteWrite(position: bigint): void {
    if (position > this.#written) this.#written = position;
  }

  /** Takes a server out of use until it answers again. */
  noteFailure(address: HostAddress): void {
    const failed = this.#hosts.find((host) => host.address === address);
    if (failed === undefined) return;
    failed.report = null;
    failed.probedMs = Number.NEGATIVE_INFINITY;
    // What the server answered before it failed no longer counts.
    failed.failures += 1;
    failed.probing = null;
  }

  #mayRead(host: Host, floor: bigint): boolean {
    const { report } = host;
    return (
      report?.role === "standby" && report.position >= floor && report.lagSeconds <= this.plan.maxLagSeconds
    );
  }

  readonly #isFresh = ({ probedMs }: Host): boolean => this.#now() - probedMs < FRESH_MS;

  /**
   * Asks the servers whose reports are old.
   *
   * @param isEnough true if servers that did not answer the last time need not be waited for: it can take seconds until
   *   their connections fail
   */
  async #probeAll(isEnough: () => boolean): Promise<void> {
    const stale = this.#hosts.filter((host) => !this.#isFresh(host));
    const answering = stale.filter((host) => !isDown(host));
    const probes = stale.map((host) => this.#probe(host));
    await Promise.all(answering.map((host) => this.#probe(host)));
    if (!isEnough()) await Promise.all(probes);
  }

  /** Concurrent callers share one probe. */
  #probe(host: Host): Promise<void> {
    host.probing ??= this.#ask(host);
    return host.probing;
  }

  async #ask(host: Host): Promise<void> {
    const { failures } = host;
    const report = await this.plan.probe(host.address).catch(() => null);
    if (host.failures !== failures) return;
    Object.assign(host, { report, probedMs: this.#now(), probing: null });
  }
}

/** True if it did not answer the last time. */
const isDown = ({ report, probedMs }: Host): boolean =>
  report === null && probedMs > Number.NEGATIVE_INFINITY;

const compareLogs = ({ report: left }: Host, { report: right }: Host): number =>
  (left?.timeline ?? 0) - (right?.timeline ?? 0) || Number((left?.position ?? 0n) - (right?.position ?? 0n));

/** `16/B374D848` as a number. */
export function logPosition(text: string): bigint {
  const [high = "0", low = "0"] = text.split("/");
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
