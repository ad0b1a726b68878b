import { LRUCache } from "lru-cache";
import { reportedCache } from "rowhouse/plugin-api/kernel";

/** How often a statement has been used, and its name if it has one. */
interface Known {
  uses: number;
  name: string | undefined;
}

const NAMED_AFTER = 3;
/** A prepared statement takes memory of the server in each session. */
const MAX_STATEMENTS = 100;
const MAX_CHARACTERS = 1_000_000;

/** The greatest number of statements that one session prepares. After that it is closed. */
export const MAX_PREPARED = 2 * MAX_STATEMENTS;

/** Names for statements that are used often, so that the server parses and plans them once for each session. */
export class StatementNames {
  readonly #known = reportedCache(
    "postgres-statements",
    new LRUCache<string, Known>({
      max: MAX_STATEMENTS,
      maxSize: MAX_CHARACTERS,
      sizeCalculation: (_known, text) => text.length + 1,
    }),
  );
  #last = 0;

  /** The name of a statement; undefined for one that has not been used often. */
  nameOf(text: string): string | undefined {
    const known = this.#known.get(text);
    if (known === undefined) {
      if (text.length < MAX_CHARACTERS) this.#known.set(text, { uses: 1, name: undefined });
      return undefined;
    }
    known.uses += 1;
    if (known.uses > NAMED_AFTER) known.name ??= `s${(this.#last += 1)}`;
    return known.name;
  }

  /** The statement is prepared again: the types of its parameters and results may have changed. */
  forget(text: string): void {
    this.#known.delete(text);
  }

  /** All statements are prepared again, after a change of the schema. */
  clear(): void {
    this.#known.clear();
  }
}
