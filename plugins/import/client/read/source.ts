import type { Message, PlaceName } from "../message.js";

/** A value of a file that is not text: a number, a boolean, a list or an object, as JSON text. */
export class JsonValue {
  constructor(readonly json: string) {}
}

/** A value of a row: null for an empty field, undefined if the row has no such column. */
export type Cell = string | null | undefined | JsonValue;

/** A row of a file. */
export interface SourceRow {
  /** Its line, row or position in the file, from 1. */
  readonly place: number;
  /** By the position of the column. */
  readonly cells: readonly Cell[];
  /** Why it could not be read completely; null for a whole row. */
  readonly problem: Message | null;
}

/** The rows of a file. They can be read several times. */
export interface Source {
  /** The names of the columns. Those of JSON grow while rows are read. */
  readonly columns: readonly string[];
  /** What `place` counts. */
  readonly placeName: PlaceName;
  rows(): AsyncIterable<readonly SourceRow[]>;
}

/** A file that can't be read. */
export class UnreadableFile extends Error {
  /** @param reason why, and what to do */
  constructor(readonly reason: Message) {
    super(reason.key);
  }
}

/** Names for columns: unique, and none of them empty. */
export class ColumnNames {
  readonly #taken = new Set<string>();

  /** @param name as the file has it */
  add(name: string | null): string {
    const wanted = name?.trim() || `column_${this.#taken.size + 1}`;
    let unique = wanted;
    for (let number = 2; this.#taken.has(unique.toLowerCase()); number += 1) unique = `${wanted}_${number}`;
    this.#taken.add(unique.toLowerCase());
    return unique;
  }
}

/** The names of all columns of a file. */
export function columnNames(given: readonly (string | null)[]): readonly string[] {
  const names = new ColumnNames();
  return given.map((name) => names.add(name));
}
