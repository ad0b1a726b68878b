import { hrtime } from "node:process";
import type { WorkerGroup } from "rowhouse/plugin-api/contracts";
import { closeBody, type BodyStream } from "rowhouse/plugin-api/http";

/** The requests of each client that are being answered. */
export class RunningRequests {
  /** When each began, the oldest first, in nanoseconds of the clock that all processes of a machine share. */
  readonly #begun = new Map<string, readonly number[]>();

  /** @param limit 0 is no limit */
  constructor(readonly limit: number) {}

  /** The clients with such requests, and when these began. */
  get begun(): readonly (readonly [string, readonly number[]])[] {
    return [...this.#begun];
  }

  /** False if the client has as many as it may have. */
  begin(client: string): boolean {
    if (this.limit === 0) return true;
    const begun = this.#begun.get(client) ?? [];
    if (begun.length >= this.limit) return false;
    this.#begun.set(client, [...begun, Number(hrtime.bigint())]);
    return true;
  }

  /** Which of its requests has ended does not matter: the others count as old as they are, or older. */
  end(client: string): void {
    const begun = this.#begun.get(client)?.slice(0, -1) ?? [];
    if (begun.length > 0) this.#begun.set(client, begun);
    else this.#begun.delete(client);
  }
}

type Begun = RunningRequests["begun"];

/** The requests of each client in all workers together. A worker that ends counts no more. */
export class RunningInWorkers {
  readonly #stopAnswering: () => void;

  constructor(
    private readonly own: RunningRequests,
    private readonly workers: WorkerGroup,
    private readonly topic: string,
  ) {
    this.#stopAnswering = workers.answer(topic, () => own.begun);
  }

  /**
   * Counts first and asks then, so that no more than the limit are accepted. Of requests that begin in several workers
   * at the same time, the older ones are accepted: without an order, all of them would be refused.
   */
  async begin(client: string): Promise<boolean> {
    if (!this.own.begin(client)) return false;
    const since = Number(hrtime.bigint());
    const answers = (await this.workers.gather(this.topic)) as readonly Begun[];
    const older = answers
      .flat()
      .filter(([one]) => one === client)
      .flatMap(([, begun]) => begun.filter((time) => time <= since));
    if (older.length <= this.own.limit) return true;
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
