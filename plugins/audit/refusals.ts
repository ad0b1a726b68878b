import type { TrackedEvent } from "rowhouse/plugin-api";

type Refusal = Extract<TrackedEvent, { readonly name: "refuse-token" }>;

/** Where refusals are entered. */
export interface Book {
  /** @returns the id of the entry, once it is on disk */
  enter(refusal: Refusal): Promise<number | bigint>;
  /** Lets an entry stand for so many. */
  recount(id: number | bigint, refusal: Refusal, times: number): Promise<void>;
}

interface Entered {
  readonly refusal: Refusal;
  readonly id: Promise<number | bigint>;
  times: number;
}

const TOGETHER_MS = 60_000;

/**
 * Tokens that are refused, which anybody can send as often as they like. The first is entered at once, what is
 * refused for the same reason within a minute is counted: a flood neither fills the disk nor keeps it busy.
 */
export class Refusals {
  readonly #entered = new Map<string, Entered>();
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly book: Book) {}

  /** Resolves when it is on disk, or counted. */
  async add(refusal: Refusal): Promise<void> {
    const before = this.#entered.get(refusal.reason);
    if (before !== undefined) {
      before.times += 1;
      return;
    }
    const id = this.book.enter(refusal);
    this.#entered.set(refusal.reason, { refusal, id, times: 1 });
    this.#timer ??= setTimeout(() => void this.flush(), TOGETHER_MS).unref();
    await id;
  }

  /** Enters how many there were; the next one is an entry again. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const repeated = [...this.#entered.values()].filter(({ times }) => times > 1);
    this.#entered.clear();
    // Where the entry itself failed, whoever made it was told.
    await Promise.allSettled(
      repeated.map(async ({ refusal, id, times }) => this.book.recount(await id, refusal, times)),
    );
  }
}
