/** A name in the form in which SQLite compares it: ASCII letters in lower case, all others as they are. */
export const foldName = (name: string): string =>
  UPPER.test(name) ? name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : name;

const UPPER = /[A-Z]/;

/** True for two names that mean the same table or column to SQLite. */
export const isSameName = (one: string, other: string): boolean =>
  one === other || foldName(one) === foldName(other);

type Named<Value> = readonly [name: string, value: Value];

/** What different spellings of one name stand for. */
interface Spellings<Value> {
  readonly entries: Named<Value>[];
  readonly values: Value[];
}

const NONE: readonly never[] = [];

/**
 * Values by name, found as SQLite compares names.
 *
 * @example
 * const rules = new NameMap([["Pub", "closed"]]);
 * rules.all("pub"); // ["closed"]
 */
export class NameMap<Value> {
  readonly #byFolded = new Map<string, Spellings<Value>>();
  readonly #isOther: (name: string) => boolean;

  /** @param isOther true for a name that belongs to a thing of exactly this spelling, and to no other */
  constructor(entries: Iterable<Named<Value>>, isOther: (name: string) => boolean = () => false) {
    this.#isOther = isOther;
    for (const entry of entries) {
      const folded = foldName(entry[0]);
      const spellings = this.#byFolded.get(folded) ?? { entries: [], values: [] };
      this.#byFolded.set(folded, spellings);
      spellings.entries.push(entry);
      spellings.values.push(entry[1]);
    }
  }

  /** The values under each spelling of the name, that of the same spelling first. */
  all(name: string): readonly Value[] {
    if (this.#byFolded.size === 0) return NONE;
    const spellings = this.#byFolded.get(foldName(name));
    if (spellings === undefined) return NONE;
    const matching = spellings.entries.filter(([spelling]) => spelling === name || !this.#isOther(spelling));
    // Lists ask about thousands of tables, and few names have two spellings.
    if (matching.length === 1 && spellings.values.length === 1) return spellings.values;
    return matching.toSorted(([one], [two]) => +(two === name) - +(one === name)).map(([, value]) => value);
  }
}
