import type { WorkerGroup } from "rowhouse/plugin-api/contracts";
import { closeBody, type BodyStream } from "rowhouse/plugin-api/http";

/** The number of requests of each client that are being answered. */
export class RunningRequests {
  readonly #counts = new Map<string, number>();

  /** @param limit 0 is no limit */
  constructor(readonly limit: number) {}

  /** The clients with such requests, and how many they have. */
  get counts(): readonly (readonly [string, number])[] {
    return [...this.#counts];
  }

  begin(client: string): boolean {
    if (this.limit === 0) return true;
    const count = this.#counts.get(client) ?? 0;
    if (count >= this.limit) return false;
    this.#counts.set(client, count + 1);
    return true;
  }

  end(client: string): void {
    if (this.limit === 0) return;
    const count = (this.#counts.get(client) ?? 0) - 1;
    if (count > 0) this.#counts.set(client, count);
    else this.#counts.delete(client);
  }
}

type Counts = RunningRequests["counts"];

/** The number of requests of each client in all workers together. A worker that ends counts no more. */
export class RunningInWorkers {
  readonly #stopAnswering: () => void;

  constructor(
    private readonly own: RunningRequests,
    private readonly workers: WorkerGroup,
    private readonly topic: string,
  ) {
    this.#stopAnswering = workers.answer(topic, () => own.counts);
  }

  /**
   * Counts first and asks then: of two requests that begin in two workers at the same time, both may be refused, but
   * not more than the limit are accepted.
   */
  async begin(client: string): Promise<boolean> {
    if (!this.own.begin(client)) return false;
    const answers = (await this.workers.gather(this.topic)) as readonly Counts[];
    const total = answers
      .flat()
      .filter(([one]) => one === client)
      .reduce((sum, [, count]) => sum + count, 0);
    if (total <= this.own.limit) return true;
    this.own.end(client);
    return false;
  }

  close(): void {
    this.#stopAnswering();
  }
}

/** The stream, with a call of `end` after its last piece, or when it is closed. */
export function endingWith(body: BodyStream, end: () => void): BodyStream & { destroy(): void } {
  async function* pieces(): AsyncGenerator<string | Uint8Array> {
    try {
      yield* body;
    } finally {
      end();
    }
  }
  return {
    [Symbol.asyncIterator]: pieces,
    destroy() {
      closeBody(body);
      end();
    },
  };
}
