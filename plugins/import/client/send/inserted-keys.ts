/** In characters. */
const LIST_LENGTH = 50_000;
const MOST_LISTED = 10_000;
const INTEGER = /^-?\d+$/;

/**
 * The keys of the rows that an import has inserted. Integers that follow each other are kept as a range, so that a
 * million rows need little memory.
 */
export class InsertedKeys {
  readonly #ranges: [first: bigint, last: bigint][] = [];
  readonly #others: string[] = [];
  #areComplete = true;

  /** @param keys JSON texts: a value, or a list for a key of several columns */
  add(keys: readonly string[]): void {
    for (const key of keys) {
      if (!INTEGER.test(key)) {
        this.#areComplete &&= !hasNull(key);
        this.#others.push(key);
        continue;
      }
      const value = BigInt(key);
      const last = this.#ranges.at(-1);
      if (last !== undefined && last[1] + 1n === value) last[1] = value;
      else this.#ranges.push([value, value]);
    }
  }

  /** False if a row has no key by which it can be found: SQLite allows NULL in keys. */
  get areComplete(): boolean {
    return this.#areComplete;
  }

  /** The range of all keys, if they follow each other. */
  get range(): readonly [first: string, last: string] | null {
    const [only, ...more] = this.#ranges;
    if (only === undefined || more.length > 0 || this.#others.length > 0) return null;
    return [String(only[0]), String(only[1])];
  }

  /**
   * The operations of a batch that delete these rows, as JSON texts. Each deletes many rows.
   *
   * @param mostCharacters of the keys of an operation
   */
  deletions(table: string, mostCharacters: number): readonly string[] {
    return [...lists(this.#all(), Math.min(LIST_LENGTH, mostCharacters))].map(
      (keys) => `{"op": "delete", "table": ${JSON.stringify(table)}, "keys": [${keys.join(", ")}]}`,
    );
  }

  *#all(): Generator<string> {
    for (const [first, last] of this.#ranges) for (let key = first; key <= last; key += 1n) yield String(key);
    yield* this.#others;
  }
}

/** A key of several columns is a list. */
const hasNull = (key: string): boolean =>
  key === "null" || (key.startsWith("[") && (JSON.parse(key) as unknown[]).includes(null));

function* lists(keys: Iterable<string>, mostCharacters: number): Generator<readonly string[]> {
  let list: string[] = [];
  let length = 0;
  for (const key of keys) {
    if (list.length === MOST_LISTED || (list.length > 0 && length + key.length > mostCharacters)) {
      yield list;
      list = [];
      length = 0;
    }
    list.push(key);
    length += key.length;
  }
  if (list.length > 0) yield list;
}
