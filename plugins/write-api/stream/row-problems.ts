import { WriteRejected } from "rowhouse/plugin-api";

/** How many messages a report holds. */
const MAX_MESSAGES = 100;

/** What is wrong with rows: the first hundred messages, and the number of the other rows. */
export class RowProblems {
  readonly #messages: string[] = [];
  #count = 0;

  /** Rows that have problems. */
  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#messages.length >= MAX_MESSAGES;
  }

  /** How a row is called; rows are counted from 0, lines from 1. */
  labelOf(index: number, line: number | null): string {
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
    const shown = this.#messages.slice(0, MAX_MESSAGES);
    const more = this.#count - MAX_MESSAGES;
    throw new WriteRejected(more > 0 ? [...shown, `${more} more rows have problems`] : shown);
  }
}
