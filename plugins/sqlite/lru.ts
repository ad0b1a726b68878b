/** A map that forgets what was not asked for longest once it holds `capacity` entries. */
export class Lru<Key, Value> {
  readonly #entries = new Map<Key, Value>();

  constructor(
    readonly capacity: number,
    /** Told of each value that is let go. */
    private readonly drop: (value: Value) => void = () => undefined,
  ) {}

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.capacity) return;
    for (const oldest of this.#entries.keys()) {
      this.delete(oldest);
      break;
    }
  }

  delete(key: Key): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#entries.delete(key);
    this.drop(value);
  }

  clear(): void {
    for (const key of this.#entries.keys()) this.delete(key);
  }
}
