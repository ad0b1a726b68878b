import { LRUCache } from "lru-cache";
import { reportedCache, type SizedCache } from "rowhouse/plugin-api/kernel";

/** The setting `statement_cache_kb`, in bytes. */
let budgetBytes = 8_388_608;
const caches = new Set<WeakRef<{ limit(): void }>>();

/**
 * Sets the memory of all caches of statements in this process. Each has a fixed share: how much memory goes to tokens,
 * and how much to compiled statements, follows from the statements, so operators choose only the sum.
 */
export function limitStatementCaches(bytes: number): void {
  if (bytes === budgetBytes) return;
  budgetBytes = bytes;
  for (const reference of caches) {
    const cache = reference.deref();
    if (cache === undefined) caches.delete(reference);
    else cache.limit();
  }
}

/** The memory for compiled statements of one connection, in bytes. */
export const compiledStatementBytes = (): number => Math.max(1, Math.floor(budgetBytes / 4));

/** How a cache is listed, and how much of the memory for statements it may use. */
export interface StatementCacheOptions {
  readonly name: string;
  /** A part of the setting `statement_cache_kb`, up to 1. */
  readonly share: number;
}

/** What an entry takes beside its texts: LRUCache, our own object, and the headers of strings. */
export const ENTRY_BYTES = 200;

/** A cache by the text of statements. The least recently used are evicted. */
export class StatementCache<Value extends object | string> implements SizedCache {
  /** Replaced when the limit changes. `set` needs the option `size`, in bytes. */
  entries: LRUCache<string, Value>;

  constructor(private readonly options: StatementCacheOptions) {
    this.entries = this.#empty();
    caches.add(new WeakRef(this));
    reportedCache(options.name, this);
  }

  get size(): number {
    return this.entries.size;
  }

  get calculatedSize(): number {
    return this.entries.calculatedSize;
  }

  get maxSize(): number {
    return this.entries.maxSize;
  }

  /** Applies a new limit, for which the entries are dropped. */
  limit(): void {
    this.entries = this.#empty();
  }

  #empty(): LRUCache<string, Value> {
    return new LRUCache({ maxSize: Math.max(1, Math.floor(budgetBytes * this.options.share)) });
  }
}
