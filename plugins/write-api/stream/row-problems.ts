import { WriteRejected } from "rowhouse/plugin-api";

/** How many messages a report holds. */
const MAX_MESSAGES = 100;
/** In characters. After so many, no message is added: those of a row may contain long names. */
const MAX_LENGTH = 100_000;
/** How many rows with problems are counted. After them the rest is not read. */
const MOST_PROBLEMS = 10_000;

/** Collects the errors of rows: the first hundred messages, and the number of rows that these do not name. */
export class RowProblems {
  readonly #messages: string[] = [];
  #count = 0;
  #unnamed = 0;
  #length = 0;

  /** The number of rows with problems. */
  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#messages.length >= MAX_MESSAGES || this.#length >= MAX_LENGTH;
  }

  /** How messages name a row. Rows are counted from 0, lines from 1. */
  labelOf(index: number, line: number | null): string {
    return line === null ? `Row ${index}` : `Row ${index} (line ${line})`;
  }

  /** Records the errors of one row. */
  add(messages: readonly string[]): void {
    this.#count += 1;
    if (this.isFull) this.#unnamed += 1;
    else {
      this.#messages.push(...messages);
      for (const { length } of messages) this.#length += length;
    }
  }

  /** @throws WriteRejected if any row has problems */
  throwIfAny(): void {
    if (this.#count === 0) return;
    throw this.#rejected(this.#unnamed > 0 ? [`${this.#unnamed} more rows have problems`] : []);
  }

  /** @throws WriteRejected if so many rows have problems that further ones need not be read */
  throwIfVeryMany(): void {
    if (this.#count > MOST_PROBLEMS) throw this.#rejected(["Further rows were not read"]);
  }

  #rejected(end: readonly string[]): WriteRejected {
    return new WriteRejected([...this.#messages.slice(0, MAX_MESSAGES), ...end]);
  }
}
