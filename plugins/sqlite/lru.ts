/** How much an {@link Lru} holds. */
export interface Bounds<Key, Value> {
  /** Entries at most. */
  readonly capacity: number;
  /** What all entries weigh at most; one that weighs more by itself is not kept. */
  readonly maxWeight: number;
  readonly weigh: (key: Key, value: Value) => number;
  /** Called with each value that is evicted, deleted or not kept. */
  readonly drop?: (value: Value) => void;
}

/**
 * A map that evicts the least recently used entries. The number of entries is no bound of memory where clients choose
 * the length of the keys, so the weight of all entries is limited too.
 */
export class Lru<Key, Value> {
  readonly #entries = new Map<Key, { readonly value: Value; readonly weight: number }>();
  readonly #bounds: Bounds<Key, Value>;
  #weight = 0;

  constructor(bounds: Bounds<Key, Value>) {
    this.#bounds = bounds;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    const { capacity, maxWeight, weigh } = this.#bounds;
    const weight = weigh(key, value);
    if (weight > maxWeight) {
      this.#bounds.drop?.(value);
      return;
    }
    this.#entries.set(key, { value, weight });
    this.#weight += weight;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= capacity && this.#weight <= maxWeight) break;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= entry.weight;
    this.#bounds.drop?.(entry.value);
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.delete(key);
  }
}
