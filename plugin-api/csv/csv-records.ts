/** CSV that can't be parsed. The message says why, and in which line. */
export class InvalidCsv extends Error {
  constructor(
    readonly mistake: CsvMistake,
    readonly line: number,
  ) {
    super(MESSAGES[mistake].replace("{line}", String(line)));
  }
}

/** What is wrong with CSV. */
export type CsvMistake = "open_quote" | "long_record" | "many_fields" | "text_behind_quote";

/** No engine has tables with more columns. More fields would take long. */
const MAX_FIELDS = 32_767;

const MESSAGES: Readonly<Record<CsvMistake, string>> = {
  open_quote: "the quote in line {line} is never closed",
  long_record: "the record in line {line} is too long",
  many_fields: `the record in line {line} has more than ${MAX_FIELDS} fields`,
  text_behind_quote: "there is text behind a closing quote in line {line}",
};

/** One record. An empty field is null, a quoted empty field (`""`) is an empty text. */
export interface CsvRecord {
  /** The line in which it begins, counted from 1. */
  readonly line: number;
  readonly fields: readonly (string | null)[];
}

/** In characters. Without a limit, an unclosed quote would collect the whole rest of the body in memory. */
const MAX_RECORD_LENGTH = 16 * 1024 * 1024;

/**
 * Parses records from a text that arrives in pieces. Lines end with LF or CRLF, or all of them with CR. Empty lines are
 * skipped. Own code, for the reason in docs/dependencies.md.
 *
 * @example
 * const records = new CsvRecords(",");
 * const [record] = [...records.add('1,"a, b",\n'), ...records.end()];
 * record?.fields; // ["1", "a, b", null]
 */
export class CsvRecords {
  #text = "";
  /** Null until the first line break arrives. */
  #lineEnd: LineEnd | null = null;
  #line = 1;
  /** Text length at which an unfinished record is parsed again. Doubling it keeps the total time linear. */
  #retryAtLength = 0;

  constructor(private readonly delimiter: string) {}

  /** @returns the complete records. @throws InvalidCsv */
  add(piece: string): readonly CsvRecord[] {
    this.#text += piece;
    return this.#text.length < this.#retryAtLength ? [] : this.#complete(false);
  }

  /** @returns the last record, if no line break ended it. @throws InvalidCsv */
  end(): readonly CsvRecord[] {
    return this.#complete(true);
  }

  #complete(isEnd: boolean): readonly CsvRecord[] {
    const records: CsvRecord[] = [];
    this.#lineEnd ??= lineEndOf(this.#text, isEnd);
    const lineEnd = this.#lineEnd;
    if (lineEnd === null) return this.#keep(this.#text);
    const isCut = isEnd && this.#text !== "" && !this.#text.endsWith(lineEnd);
    const text = isCut ? this.#text + lineEnd : this.#text;
    let at = 0;
    for (;;) {
      const newline = text.indexOf(lineEnd, at);
      if (newline === -1) break;
      const line = text.slice(at, this.#endOfLine(text, newline));
      if (!line.includes('"')) {
        if (line !== "") records.push({ line: this.#line, fields: this.#bareFields(line) });
        at = newline + 1;
        this.#line += 1;
        continue;
      }
      const quoted = this.#quoted(text, at);
      if (quoted === null) {
        if (isEnd) throw new InvalidCsv("open_quote", this.#line);
        break;
      }
      records.push({ line: this.#line, fields: quoted.fields });
      this.#line += text.slice(at, quoted.end).split(lineEnd).length - 1;
      at = quoted.end;
    }
    this.#keep(text.slice(at));
    return records;
  }

  /** @throws InvalidCsv */
  #bareFields(line: string): readonly (string | null)[] {
    const fields = line.split(this.delimiter, MAX_FIELDS + 1);
    if (fields.length > MAX_FIELDS) throw new InvalidCsv("many_fields", this.#line);
    return fields.map(nullIfEmpty);
  }

  /** The end of the last field before a line break. */
  #endOfLine(text: string, lineEnd: number): number {
    return this.#lineEnd === "\n" && text[lineEnd - 1] === "\r" ? lineEnd - 1 : lineEnd;
  }

  #keep(rest: string): readonly CsvRecord[] {
    if (rest.length > MAX_RECORD_LENGTH) {
      throw new InvalidCsv("long_record", this.#line);
    }
    this.#text = rest;
    this.#retryAtLength = rest.length * 2;
    return [];
  }

  /** The record with quoted fields that begins at `start`; null if it is incomplete. */
  #quoted(text: string, start: number): { fields: readonly (string | null)[]; end: number } | null {
    const fields: (string | null)[] = [];
    const lineEnd = this.#lineEnd ?? "\n";
    let at = start;
    // One search for all fields of a line: it may be long.
    let newline = text.indexOf(lineEnd, start);
    for (;;) {
      if (newline !== -1 && newline < at) newline = text.indexOf(lineEnd, at);
      const field =
        text[at] === '"' ? this.#quotedField(text, at, lineEnd) : this.#bareField(text, at, newline);
      if (field === null) return null;
      if (fields.push(field.value) > MAX_FIELDS) throw new InvalidCsv("many_fields", this.#line);
      if (text[field.end] === this.delimiter) {
        at = field.end + 1;
        continue;
      }
      return { fields, end: text.indexOf(lineEnd, field.end) + 1 };
    }
  }

  /** @param newline the first line break behind `start`, or -1 */
  #bareField(text: string, start: number, newline: number): Field | null {
    if (newline === -1) return null;
    const end = this.#endOfLine(text, newline);
    const delimiter = text.indexOf(this.delimiter, start);
    const until = delimiter === -1 || delimiter > end ? end : delimiter;
    return { value: nullIfEmpty(text.slice(start, until)), end: until };
  }

  #quotedField(text: string, start: number, lineEnd: LineEnd): Field | null {
    let close = text.indexOf('"', start + 1);
    // Two quotes are one character of the field. A search for the next one takes long if it follows at once.
    while (close !== -1 && text[close + 1] === '"')
      close = text[close + 2] === '"' ? close + 2 : text.indexOf('"', close + 2);
    // The character after the quote decides whether it closes the field, so it must have arrived.
    const isHalfLineEnd = lineEnd === "\n" && text[close + 1] === "\r";
    if (close === -1 || close + 2 > text.length - (isHalfLineEnd ? 1 : 0)) return null;
    const after = text[close + 1];
    const endsLine = after === lineEnd || (isHalfLineEnd && text[close + 2] === "\n");
    if (after !== this.delimiter && !endsLine) {
      throw new InvalidCsv("text_behind_quote", this.#line);
    }
    return { value: withSingleQuotes(text.slice(start + 1, close)), end: close + 1 };
  }
}

/** In characters. */
const LONG_FIELD = 65_536;
const QUOTE = 0x22;

/** A field with one quote for two. For millions of quotes, bytes take a quarter of the time of `split`. */
function withSingleQuotes(field: string): string {
  if (field.length < LONG_FIELD || !field.includes('"')) return field.replaceAll('""', '"');
  const bytes = new TextEncoder().encode(field);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    bytes[length++] = byte;
    if (byte === QUOTE) at += 1;
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, length));
}

interface Field {
  readonly value: string | null;
  /** The index of the delimiter or line break after it. */
  readonly end: number;
}

const nullIfEmpty = (field: string): string | null => (field === "" ? null : field);

/** Of CRLF, the LF ends the line. */
type LineEnd = "\n" | "\r";

/**
 * How lines end, by the first line break; null if it has not arrived. A CR without LF in a quoted field is part of the
 * field: then the number of quotes before it is odd.
 */
function lineEndOf(text: string, isEnd: boolean): LineEnd | null {
  const [found = null] = /\r\n|\n|\r/.exec(text) ?? [];
  if (found === null) return isEnd ? "\n" : null;
  if (found !== "\r") return "\n";
  const at = text.indexOf("\r");
  if (at === text.length - 1 && !isEnd) return null;
  return (text.slice(0, at).split('"').length - 1) % 2 === 0 ? "\r" : "\n";
}
