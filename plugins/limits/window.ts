import {
  RateLimiterCluster,
  RateLimiterMemory,
  RateLimiterRes,
  type RateLimiterAbstract,
} from "rate-limiter-flexible";

const ANSWER_LIMIT_MS = 1_000;

/** What a client has left in the current window. */
export interface Left {
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** A quota of each client in a window of time, which begins with the first use. */
export class QuotaWindow {
  readonly #own: RateLimiterMemory;
  readonly #shared: RateLimiterCluster | null;

  /** @param limit in the unit of `use` @param isShared true for one of several workers, which count together */
  constructor(
    private readonly name: string,
    private readonly limit: number,
    private readonly options: { readonly windowSeconds: number; readonly isShared: boolean },
  ) {
    const { windowSeconds, isShared } = options;
    const limits = { points: limit, duration: windowSeconds };
    this.#own = new RateLimiterMemory(limits);
    const keyPrefix = `${name} ${limit} ${windowSeconds}`;
    this.#shared = isShared
      ? new RateLimiterCluster({ ...limits, keyPrefix, timeoutMs: ANSWER_LIMIT_MS })
      : null;
  }

  /** Counts a use, also one over the limit. */
  async use(client: string, amount: number): Promise<Left & { readonly isOver: boolean }> {
    try {
      return { ...this.#left(await this.#ask((limiter) => limiter.consume(client, amount))), isOver: false };
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      return { ...this.#left(error), isOver: true };
    }
  }

  /** What is left; null for a client that has used nothing. */
  async left(client: string): Promise<Left | null> {
    const found = await this.#ask((limiter) => limiter.get(client));
    return found === null ? null : this.#left(found);
  }

  /** If the first process does not answer, each worker counts for itself. */
  async #ask<Answer>(ask: (limiter: RateLimiterAbstract) => Promise<Answer>): Promise<Answer> {
    if (this.#shared === null) return ask(this.#own);
    return ask(this.#shared).catch((error: unknown) => {
      if (error instanceof RateLimiterRes) throw error;
      return ask(this.#own);
    });
  }

  #left = ({ remainingPoints, msBeforeNext }: RateLimiterRes): Left => ({
    name: this.name,
    limit: this.limit,
    windowSeconds: this.options.windowSeconds,
    remaining: Math.max(0, remainingPoints),
    // The limiter takes the difference of two times, which grows by hours if the clock is set back meanwhile.
    resetSeconds: Math.min(this.options.windowSeconds, Math.max(1, Math.ceil(msBeforeNext / 1000))),
  });
}

/** The fields `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
export const rateLimitHeaders = ({ name, limit, windowSeconds, remaining, resetSeconds }: Left) => ({
  "ratelimit-policy": `"${name}";q=${limit};w=${windowSeconds}`,
  ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
});
