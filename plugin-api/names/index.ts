/**
 * A name as SQLite compares it: ASCII letters in lower case, other characters unchanged.
 *
 * @example
 * foldName("Straße ÄB"); // "straße Äb"
 */
export const foldName = (name: string): string =>
  UPPER.test(name) ? name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : name;

const UPPER = /[A-Z]/;

/**
 * True if SQLite treats two names as the same table or column.
 *
 * @example
 * isSameName("Books", "BOOKS"); // true
 */
export const isSameName = (one: string, other: string): boolean =>
  one === other || foldName(one) === foldName(other);

/**
 * The item with this name; else one with the same name in another case. PostgreSQL can have `id` and `ID` in one table.
 *
 * @example
 * findByName([{ name: "ID" }, { name: "id" }], "id"); // { name: "id" }
 */
export function findByName<Item extends { readonly name: string }>(
  items: Iterable<Item>,
  name: string,
): Item | undefined {
  let similar: Item | undefined;
  for (const item of items) {
    if (item.name === name) return item;
    if (similar === undefined && isSameName(item.name, name)) similar = item;
  }
  return similar;
}

/**
 * The name, if it is not taken; else the first free one of `books_2`, `books_3`, ...
 *
 * @example
 * freeName("books", new Set(["books"])); // "books_2"
 * @param taken a set of names, or a map with names as keys
 */
export function freeName(wanted: string, taken: Pick<ReadonlySet<string>, "has">): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}_${number}`;
  return name;
}

const PRIVATE_PREFIX = "_rowhouse_";

/**
 * True for the name of a table that a plugin keeps for itself, such as stored replies. No actor may view or write it.
 *
 * @example
 * isPrivateTable("_rowhouse_idempotency"); // true
 */
export const isPrivateTable = (name: string): boolean =>
  name.slice(0, PRIVATE_PREFIX.length).toLowerCase() === PRIVATE_PREFIX;

type Named<Value> = readonly [name: string, value: Value];

/** The values of all spellings of one name. */
interface Spellings<Value> {
  readonly entries: Named<Value>[];
  readonly values: Value[];
}

const NONE: readonly never[] = [];

/**
 * A map whose keys are compared as SQLite compares names.
 *
 * @example
 * const rules = new NameMap([["Pub", "closed"]]);
 * rules.all("pub"); // ["closed"]
 */
export class NameMap<Value> {
  readonly #byFolded = new Map<string, Spellings<Value>>();
  readonly #isOther: (spelling: string, name: string) => boolean;

  /** @param isOther true if the values of a spelling do not apply to a name, because both exist: as two things */
  constructor(
    entries: Iterable<Named<Value>>,
    isOther: (spelling: string, name: string) => boolean = () => false,
  ) {
    this.#isOther = isOther;
    for (const entry of entries) {
      const folded = foldName(entry[0]);
      const spellings = this.#byFolded.get(folded) ?? { entries: [], values: [] };
      this.#byFolded.set(folded, spellings);
      spellings.entries.push(entry);
      spellings.values.push(entry[1]);
    }
  }

  /** The values of all spellings of the name; those of the exact spelling come first. */
  all(name: string): readonly Value[] {
    if (this.#byFolded.size === 0) return NONE;
    const spellings = this.#byFolded.get(foldName(name));
    if (spellings === undefined) return NONE;
    const matching = spellings.entries.filter(
      ([spelling]) => spelling === name || !this.#isOther(spelling, name),
    );
    // Fast path for lists of thousands of tables: few names have two spellings.
    if (matching.length === 1 && spellings.values.length === 1) return spellings.values;
    return matching.toSorted(([one], [two]) => +(two === name) - +(one === name)).map(([, value]) => value);
  }
}

/**
 * The known names that are most similar to a misspelt one, best first; empty if none is similar.
 * The measure is that of Ratcliff and Obershelp: twice the characters in common blocks, divided by all characters.
 *
 * @example
 * nearNames("tabels", ["tables", "facets"]); // ["tables"]
 * @param most the largest number of names to return
 */
export function nearNames(name: string, known: Iterable<string>, most = 3): readonly string[] {
  return [...known]
    .map((candidate) => ({ candidate, likeness: likeness(candidate, name) }))
    .filter((one) => one.likeness >= 0.6)
    .toSorted((left, right) => right.likeness - left.likeness)
    .slice(0, most)
    .map((one) => one.candidate);
}

const likeness = (left: string, right: string): number =>
  (2 * commonCharacters(left, right)) / (left.length + right.length || 1);

function commonCharacters(left: string, right: string): number {
  const block = longestCommonBlock(left, right);
  if (block.length === 0) return 0;
  return (
    block.length +
    commonCharacters(left.slice(0, block.left), right.slice(0, block.right)) +
    commonCharacters(left.slice(block.left + block.length), right.slice(block.right + block.length))
  );
}

function longestCommonBlock(left: string, right: string) {
  let best = { left: 0, right: 0, length: 0 };
  for (let i = 0; i < left.length; i++) {
    for (let j = 0; j < right.length; j++) {
      let length = 0;
      while (i + length < left.length && left[i + length] === right[j + length]) length++;
      if (length > best.length) best = { left: i, right: j, length };
    }
  }
  return best;
}
