import type { TrackedEvent } from "rowhouse/plugin-api/contracts";

type Refusal = Extract<TrackedEvent, { readonly name: "refuse-token" }>;

/** Writes entries of refused tokens. */
export interface RefusalWriter {
  /** @returns the id of the entry, once it is on disk */
  insert(refusal: Refusal): Promise<number | bigint>;
  /** Sets the number of refusals of an entry. */
  recount(id: number | bigint, refusal: Refusal, times: number): Promise<void>;
}

interface CountedRefusal {
  readonly refusal: Refusal;
  readonly id: Promise<number | bigint>;
  times: number;
}

const COUNTED_TOGETHER_MS = 60_000;

/**
 * Limits the entries of refused tokens, which any client can send in any number. The first refusal is written, further
 * ones with the same reason within a minute are counted.
 */
export class Refusals {
  readonly #counted = new Map<string, CountedRefusal>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly writer: RefusalWriter) {}

  /** Resolves when the entry is on disk, or the refusal is counted. */
  async add(refusal: Refusal): Promise<void> {
    const before = this.#counted.get(refusal.reason);
    if (before !== undefined) {
      before.times += 1;
      return;
    }
    const id = this.writer.insert(refusal);
    this.#counted.set(refusal.reason, { refusal, id, times: 1 });
    this.#timer ??= setTimeout(() => void this.flush(), COUNTED_TOGETHER_MS).unref();
    await id;
  }

  /** Writes the counts. The next refusal is a new entry. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const repeated = [...this.#counted.values()].filter(({ times }) => times > 1);
    this.#counted.clear();
    // `add` has rejected if the entry could not be written.
    await Promise.allSettled(
      repeated.map(async ({ refusal, id, times }) => this.writer.recount(await id, refusal, times)),
    );
  }
}
