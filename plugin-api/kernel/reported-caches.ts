import { LRUCache } from "lru-cache";

/** The size of a cache. Bytes are estimates: of the texts in it, and of the objects around them. */
export interface CacheUse {
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
  readonly maxBytes: number;
}

/** The members of an `LRUCache` with a `maxSize`, in bytes. */
export interface SizedCache {
  readonly size: number;
  readonly calculatedSize: number;
  readonly maxSize: number;
}

const caches = new Map<string, Set<WeakRef<SizedCache>>>();

/**
 * Lists a cache in the metrics, by a name: an `LRUCache` with a `maxSize` in bytes, or an object with its sizes. Caches
 * with the same name are added up. A cache that is no longer used leaves the list with its memory.
 *
 * @example
 * reportedCache("covers", { size: 2, calculatedSize: 300, maxSize: 1000 }).size; // 2
 * @returns the cache
 */
export function reportedCache<Cache extends SizedCache>(name: string, cache: Cache): Cache {
  const same = caches.get(name) ?? new Set();
  caches.set(name, same.add(new WeakRef(cache)));
  return cache;
}

/** What an entry takes beside its texts: objects of the cache, and the headers of strings. */
const ENTRY_BYTES = 200;

/**
 * A cache in the metrics, by text, that evicts the least recently used entries beyond `maxBytes`.
 *
 * @example
 * const titles = boundedCache("titles", 1_000_000, (title) => title.length);
 * titles.set("emma", "Emma").get("emma"); // "Emma"
 * @param bytesOf the size of a value, without that of its key
 */
export const boundedCache = <Value extends object | string | number>(
  name: string,
  maxBytes: number,
  bytesOf: (value: Value) => number,
): LRUCache<string, Value> =>
  reportedCache(
    name,
    new LRUCache<string, Value>({
      maxSize: Math.max(1, Math.floor(maxBytes)),
      sizeCalculation: (value, key) => key.length + bytesOf(value) + ENTRY_BYTES,
    }),
  );

/**
 * The caches of this process, by name.
 *
 * @example
 * boundedCache("names", 1000, (name) => name.length).set("emma", "Emma");
 * cacheUse().find(({ name }) => name === "names")?.bytes; // 208
 */
export function cacheUse(): readonly CacheUse[] {
  return [...caches].map(([name, references]) => {
    const sum = { name, entries: 0, bytes: 0, maxBytes: 0 };
    for (const reference of references) {
      const cache = reference.deref();
      if (cache === undefined) references.delete(reference);
      sum.entries += cache?.size ?? 0;
      sum.bytes += cache?.calculatedSize ?? 0;
      sum.maxBytes += cache?.maxSize ?? 0;
    }
    return sum;
  });
}
