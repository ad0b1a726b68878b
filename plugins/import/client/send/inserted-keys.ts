/** A filter of the JSON API, as JSON text. */
type Filter = string;

const MOST_LISTED = 1000;
const INTEGER = /^-?\d+$/;

/**
 * The keys of the rows that an import has inserted. Integers that follow each other are kept as a range, so that a
 * million rows need little memory.
 */
export class InsertedKeys {
  readonly #ranges: [first: bigint, last: bigint][] = [];
  readonly #others: string[] = [];

  /** @param keys JSON texts: a value, or a list for a key of several columns */
  add(keys: readonly string[]): void {
    for (const key of keys) {
      if (!INTEGER.test(key)) {
        this.#others.push(key);
        continue;
      }
      const value = BigInt(key);
      const last = this.#ranges.at(-1);
      if (last !== undefined && last[1] + 1n === value) last[1] = value;
      else this.#ranges.push([value, value]);
    }
  }

  /** The range of all keys, if they follow each other. */
  get range(): readonly [first: string, last: string] | null {
    const [only, ...more] = this.#ranges;
    if (only === undefined || more.length > 0 || this.#others.length > 0) return null;
    return [String(only[0]), String(only[1])];
  }

  /** The operations of a batch that delete these rows, as JSON texts. Each deletes many rows. */
  deletions(table: string, columns: readonly string[]): readonly string[] {
    const [column = ""] = columns;
    const operation = (rest: string): string =>
      `{"op": "delete", "table": ${JSON.stringify(table)}, ${rest}}`;
    const byFilter = (filter: Filter): string => operation(`"filters": {${filter}}`);
    if (columns.length > 1) return this.#others.map((key) => operation(`"key": ${key}`));
    const single = this.#ranges.filter(([first, last]) => first === last).map(([first]) => String(first));
    const long = this.#ranges.filter(([first, last]) => first !== last);
    return [
      ...long.map(([first, last]) =>
        byFilter(`${name(column, "gte")}: "${first}", ${name(column, "lte")}: "${last}"`),
      ),
      ...chunks([...single, ...this.#others]).map((keys) =>
        byFilter(`${name(column, "in")}: [${keys.join(", ")}]`),
      ),
    ];
  }
}

const name = (column: string, operator: string): string => JSON.stringify(`${column}__${operator}`);

function chunks(keys: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [];
  for (let at = 0; at < keys.length; at += MOST_LISTED) parts.push(keys.slice(at, at + MOST_LISTED));
  return parts;
}
