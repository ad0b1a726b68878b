import type { LRUCache } from "lru-cache";
import { boundedCache } from "rowhouse/plugin-api/kernel";

/** Longer statements are not remembered: clients choose their length. In characters. */
const LONGEST_REMEMBERED = 2_000;
/** How much a fast statement lowers the estimate. A slow one raises it at once. */
const DECAY = 0.5;

const MAX_BYTES = 500_000;
const NUMBER_BYTES = 16;
const remembered = (): LRUCache<string, number> =>
  boundedCache("sql-durations", MAX_BYTES, () => NUMBER_BYTES);

/** How long a statement is likely to take. */
export interface Estimate {
  readonly expectedMs: number;
  /** The statement has run before. */
  readonly isKnown: boolean;
}

/** A new statement of a database that has run none yet may take any time. */
export const UNKNOWN: Estimate = { expectedMs: Infinity, isKnown: false };

/** How long statements are likely to take, by how long they took before. */
export class Durations {
  readonly #byStatement = remembered();
  /** By database, of statements that had not run before. */
  readonly #ofNew = remembered();

  /** @param group the database, for statements that have not run before */
  estimate(group: string, statement: string): Estimate {
    const known = statement.length > LONGEST_REMEMBERED ? undefined : this.#byStatement.get(statement);
    return {
      expectedMs: known ?? this.#ofNew.get(group) ?? UNKNOWN.expectedMs,
      isKnown: known !== undefined,
    };
  }

  record(group: string, statement: string, tookMs: number): void {
    const isKept = statement.length <= LONGEST_REMEMBERED;
    const known = isKept ? this.#byStatement.get(statement) : undefined;
    if (known === undefined) this.#ofNew.set(group, merged(this.#ofNew.get(group), tookMs));
    if (isKept) this.#byStatement.set(statement, merged(known, tookMs));
  }
}

const merged = (before: number | undefined, tookMs: number): number =>
  before === undefined || tookMs >= before ? tookMs : before + (tookMs - before) * DECAY;
