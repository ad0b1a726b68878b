import { AsyncLocalStorage } from "node:async_hooks";
import type { HostAddress } from "./address.js";

/** Log positions of writes, by database. */
export type Positions = ReadonlyMap<string, bigint>;

/** What the client of one request has written, and the servers from which the request reads. */
export class ClientReads {
  readonly #positions: Map<string, bigint>;
  readonly #hosts = new Map<object, HostAddress>();
  #hasWritten = false;

  /** @param onPrimary reads of a request that writes come from the primary */
  constructor(
    positions: Positions,
    readonly onPrimary: boolean,
  ) {
    this.#positions = new Map(positions);
  }

  get positions(): Positions {
    return this.#positions;
  }

  /** True after a write of this request. */
  get hasWritten(): boolean {
    return this.#hasWritten;
  }

  /** The position that a server must have replayed. */
  floor(database: string): bigint {
    return this.#positions.get(database) ?? 0n;
  }

  noteWrite(database: string, position: bigint): void {
    this.#hasWritten = true;
    this.#positions.set(database, greater(this.floor(database), position));
    this.#hosts.clear();
  }

  /** The server of the earlier reads of this request, so that a version and its rows come from the same one. */
  host(cluster: object): HostAddress | null {
    return this.#hosts.get(cluster) ?? null;
  }

  keepHost(cluster: object, host: HostAddress): void {
    this.#hosts.set(cluster, host);
  }
}

/** The positions of both, the greater one of each database. */
export function merged(left: Positions, right: Positions): Positions {
  const all = new Map(left);
  for (const [database, position] of right) all.set(database, greater(all.get(database) ?? 0n, position));
  return all;
}

const greater = (left: bigint, right: bigint): bigint => (left > right ? left : right);

/** The request that the current code is part of; undefined outside of HTTP requests. */
export const clientReads = new AsyncLocalStorage<ClientReads>();
