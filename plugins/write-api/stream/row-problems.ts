import { WriteRejected } from "rowhouse/plugin-api";

/** How many messages a report holds. */
const SHOWN = 100;

/** What is wrong with rows: the first hundred messages, and the number of the other rows. */
export class Problems {
  readonly #messages: string[] = [];
  #count = 0;

  /** Rows that have problems. */
  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#messages.length >= SHOWN;
  }

  /** How a row is called; rows are counted from 0, lines from 1. */
  placeOf(index: number, line: number | null): string {
    return line === null ? `Row ${index}` : `Row ${index} (line ${line})`;
  }

  /** Takes down what is wrong with one row. */
  add(messages: readonly string[]): void {
    this.#count += 1;
    if (!this.isFull) this.#messages.push(...messages);
  }

  /** @param more whether rows after the last one seen may have problems, too @throws WriteRejected */
  throwIfAny(): void {
    if (this.#count === 0) return;
    const shown = this.#messages.slice(0, SHOWN);
    const more = this.#count - SHOWN;
    throw new WriteRejected(more > 0 ? [...shown, `${more} more rows have problems`] : shown);
  }
}
