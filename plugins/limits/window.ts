import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

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
  readonly #limiter: RateLimiterMemory;

  /** @param limit in the unit of `use` */
  constructor(
    private readonly name: string,
    private readonly limit: number,
    private readonly windowSeconds: number,
  ) {
    this.#limiter = new RateLimiterMemory({ points: limit, duration: windowSeconds });
  }

  /** Counts a use, also one over the limit. */
  async use(client: string, amount: number): Promise<Left & { readonly isOver: boolean }> {
    try {
      return { ...this.#left(await this.#limiter.consume(client, amount)), isOver: false };
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      return { ...this.#left(error), isOver: true };
    }
  }

  /** What is left; null for a client that has used nothing. */
  async left(client: string): Promise<Left | null> {
    const found = await this.#limiter.get(client);
    return found === null ? null : this.#left(found);
  }

  #left = ({ remainingPoints, msBeforeNext }: RateLimiterRes): Left => ({
    name: this.name,
    limit: this.limit,
    windowSeconds: this.windowSeconds,
    remaining: Math.max(0, remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  });
}

/** The fields `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers). */
export const rateLimitHeaders = ({ name, limit, windowSeconds, remaining, resetSeconds }: Left) => ({
  "ratelimit-policy": `"${name}";q=${limit};w=${windowSeconds}`,
  ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
});
