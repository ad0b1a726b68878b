import { WriteRejected } from "rowhouse/plugin-api";

/** One record. An empty field is null, a quoted empty field (`""`) is an empty text. */
export interface CsvRecord {
  /** The line in which it begins, counted from 1. */
  readonly line: number;
  readonly fields: readonly (string | null)[];
}

/** In characters. Without a limit, an unclosed quote would collect the whole rest of the body in memory. */
const MAX_RECORD_LENGTH = 16 * 1024 * 1024;

/** Parses records from a text that arrives in pieces. Empty lines are skipped. */
export class CsvRecords {
  #text = "";
  #line = 1;
  /** Text length at which an unfinished record is parsed again. Doubling it keeps the total time linear. */
  #retryAtLength = 0;

  constructor(private readonly delimiter: string) {}

  /** @returns the complete records. @throws WriteRejected */
  add(piece: string): readonly CsvRecord[] {
    this.#text += piece;
    return this.#text.length < this.#retryAtLength ? [] : this.#complete(false);
  }

  /** @returns the last record, if no line break ended it. @throws WriteRejected */
  end(): readonly CsvRecord[] {
    return this.#complete(true);
  }

  #complete(isEnd: boolean): readonly CsvRecord[] {
    const records: CsvRecord[] = [];
    const text = isEnd && this.#text !== "" && !this.#text.endsWith("\n") ? `${this.#text}\n` : this.#text;
    let at = 0;
    for (;;) {
      const newline = text.indexOf("\n", at);
      if (newline === -1) break;
      const line = text.slice(at, text[newline - 1] === "\r" ? newline - 1 : newline);
      if (!line.includes('"')) {
        if (line !== "")
          records.push({ line: this.#line, fields: line.split(this.delimiter).map(nullIfEmpty) });
        at = newline + 1;
        this.#line += 1;
        continue;
      }
      const quoted = this.#quoted(text, at);
      if (quoted === null) {
        if (isEnd) throw new WriteRejected([`Invalid CSV: the quote in line ${this.#line} is never closed`]);
        break;
      }
      records.push({ line: this.#line, fields: quoted.fields });
      this.#line += lineBreaks(text, at, quoted.end);
      at = quoted.end;
    }
    this.#keep(text.slice(at));
    return records;
  }

  #keep(rest: string): void {
    if (rest.length > MAX_RECORD_LENGTH) {
      throw new WriteRejected([`Invalid CSV: the record in line ${this.#line} is too long`]);
    }
    this.#text = rest;
    this.#retryAtLength = rest.length * 2;
  }

  /** The record with quoted fields that begins at `start`; null if it is incomplete. */
  #quoted(text: string, start: number): { fields: readonly (string | null)[]; end: number } | null {
    const fields: (string | null)[] = [];
    let at = start;
    for (;;) {
      const field = text[at] === '"' ? this.#quotedField(text, at) : this.#bareField(text, at);
      if (field === null) return null;
      fields.push(field.value);
      if (text[field.end] === this.delimiter) {
        at = field.end + 1;
        continue;
      }
      return { fields, end: text.indexOf("\n", field.end) + 1 };
    }
  }

  #bareField(text: string, start: number): Field | null {
    const newline = text.indexOf("\n", start);
    if (newline === -1) return null;
    const end = text[newline - 1] === "\r" ? newline - 1 : newline;
    const delimiter = text.indexOf(this.delimiter, start);
    const until = delimiter === -1 || delimiter > end ? end : delimiter;
    return { value: nullIfEmpty(text.slice(start, until)), end: until };
  }

  #quotedField(text: string, start: number): Field | null {
    let close = text.indexOf('"', start + 1);
    while (close !== -1 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
    // The character after the quote decides whether it closes the field, so it must have arrived.
    if (close === -1 || close + 2 > text.length - (text[close + 1] === "\r" ? 1 : 0)) return null;
    const after = text[close + 1];
    if (after !== this.delimiter && after !== "\n" && !text.startsWith("\r\n", close + 1)) {
      throw new WriteRejected([`Invalid CSV: there is text behind a closing quote in line ${this.#line}`]);
    }
    return { value: text.slice(start + 1, close).replaceAll('""', '"'), end: close + 1 };
  }
}

interface Field {
  readonly value: string | null;
  /** The index of the delimiter or line break after it. */
  readonly end: number;
}

const nullIfEmpty = (field: string): string | null => (field === "" ? null : field);

function lineBreaks(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at !== -1 && at < to; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}
