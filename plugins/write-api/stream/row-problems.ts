import { WriteRejected } from "rowhouse/plugin-api";

/** How many messages a report holds. */
const MAX_MESSAGES = 100;

/** Collects the errors of rows: the first hundred messages, and the number of further rows with errors. */
export class RowProblems {
  readonly #messages: string[] = [];
  #count = 0;

  /** The number of rows with problems. */
  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#messages.length >= MAX_MESSAGES;
  }

  /** How messages name a row. Rows are counted from 0, lines from 1. */
  labelOf(index: number, line: number | null): string {
    return line === null ? `Row ${index}` : `Row ${index} (line ${line})`;
  }

  /** Records the errors of one row. */
  add(messages: readonly string[]): void {
    this.#count += 1;
    if (!this.isFull) this.#messages.push(...messages);
  }

  /** @throws WriteRejected if any row has problems */
  throwIfAny(): void {
    if (this.#count === 0) return;
    const shown = this.#messages.slice(0, MAX_MESSAGES);
    const more = this.#count - MAX_MESSAGES;
    throw new WriteRejected(more > 0 ? [...shown, `${more} more rows have problems`] : shown);
  }
}
