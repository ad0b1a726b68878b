import { closeBody, type BodyStream } from "rowhouse/plugin-api/http";

/** The number of requests of each client that are being answered. */
export class RunningRequests {
  readonly #counts = new Map<string, number>();

  /** @param limit 0 is no limit */
  constructor(private readonly limit: number) {}

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
