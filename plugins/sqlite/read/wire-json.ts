import { isAscii, isUtf8 } from "node:buffer";
import { asciiJson, blobJson, realJson, writeAsciiJson, type InfinityForm } from "rowhouse/plugin-api/json";

/** JSON of rows as SQLite built it, in UTF-8. Cells are marked. */
export type JsonBytes = Buffer;

/**
 * A cell that SQL cannot write in its final form is enclosed in control characters, which JSON text never contains, and is
 * completed after it was read.
 */
export const MARKS = { real: "\u0001", blob: "\u0002" } as const;
const REAL = 1;
const BLOB = 2;
const DELETE = 0x7f;

// oxlint-disable-next-line no-control-regex
const MARKED = /\u0001([^\u0001]*)\u0001|\u0002([^\u0002]*)\u0002/g;

/** Completes rows: replaces the marked cells, and escapes characters outside of ASCII. */
export function toWireJson(text: string | JsonBytes, infinity: InfinityForm): string {
  if (typeof text === "string") return asciiJson(withoutMarks(text, infinity));
  if (isAscii(text) && !text.includes(DELETE)) return withoutMarks(text.toString("latin1"), infinity);
  return isUtf8(text) ? utf8ToWireJson(text, infinity) : toWireJson(text.toString(), infinity);
}

const withoutMarks = (text: string, infinity: InfinityForm): string =>
  text.includes(MARKS.real) || text.includes(MARKS.blob)
    ? text.replace(MARKED, (_marked, digits?: string, hex = "") =>
        digits === undefined ? blobText(hex) : realJson(readReal(digits), infinity),
      )
    : text;

const blobText = (hex: string): string => blobJson(Buffer.from(hex, "hex"));

/** Parses a REAL as SQLite prints it. */
export function readReal(digits: string): number {
  if (digits.endsWith("Inf")) return digits.startsWith("-") ? -Infinity : Infinity;
  return Number(digits);
}

/**
 * Reads the bytes once. To decode them first takes twice as long for a page, and a regular expression that finds what is
 * outside of ASCII fourteen times as long for a text in Cyrillic.
 */
function utf8ToWireJson(bytes: JsonBytes, infinity: InfinityForm): string {
  const wire = new WireText();
  for (let at = 0; at < bytes.length;) {
    const end = plainEnd(bytes, at);
    wire.addPlain(bytes, at, end);
    const lead = bytes[end] ?? 0;
    if (lead === REAL || lead === BLOB) {
      const close = bytes.indexOf(lead, end + 1);
      const cell = bytes.toString("latin1", end + 1, close);
      wire.addText(lead === REAL ? realJson(readReal(cell), infinity) : blobText(cell));
      at = close + 1;
    } else if (lead >= DELETE) {
      const length = lead === DELETE ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
      wire.addCharacter(codePoint(bytes, end, length));
      at = end + length;
    } else {
      at = end;
    }
  }
  return wire.whole();
}

const LONGEST_RUN = 16_384;

/** The end of the ASCII characters from `at` on, and at most the next 16,384 of them. */
function plainEnd(bytes: JsonBytes, at: number): number {
  const most = Math.min(bytes.length, at + LONGEST_RUN);
  let end = at;
  for (let byte = bytes[end] ?? 0; end < most && byte < DELETE && byte > BLOB;) {
    end += 1;
    byte = bytes[end] ?? 0;
  }
  return end;
}

function codePoint(bytes: JsonBytes, at: number, length: number): number {
  const lead = bytes[at] ?? 0;
  let code = length === 1 ? lead : lead & (0xff >> (length + 1));
  for (let next = 1; next < length; next += 1) code = (code << 6) | ((bytes[at + next] ?? 0) & 0x3f);
  return code;
}

/** Texts are put together here, some thousand characters at a time. */
const scratch = Buffer.allocUnsafe(4 * LONGEST_RUN);
/** Two escapes, or a number. */
const LONGEST_SHORT = 64;
/** A native copy of fewer bytes takes longer than a loop. */
const SHORT_RUN = 48;

/** An ASCII text in the making. */
class WireText {
  readonly #pieces: string[] = [];
  #length = 0;

  /** ASCII characters, at most 16,384. */
  addPlain(bytes: JsonBytes, from: number, to: number): void {
    if (this.#length + to - from + LONGEST_SHORT > scratch.length) this.#flush();
    if (to - from > SHORT_RUN) {
      this.#length += bytes.copy(scratch, this.#length, from, to);
      return;
    }
    for (let at = from; at < to; at += 1) {
      scratch[this.#length] = bytes[at] ?? 0;
      this.#length += 1;
    }
  }

  /** After `addPlain`, which leaves room for it. */
  addCharacter(code: number): void {
    if (code > 0xffff) {
      this.#length = writeAsciiJson(scratch, this.#length, 0xd7c0 + (code >> 10));
      this.#length = writeAsciiJson(scratch, this.#length, 0xdc00 + (code & 0x3ff));
    } else {
      this.#length = writeAsciiJson(scratch, this.#length, code);
    }
  }

  /** After `addPlain`. */
  addText(text: string): void {
    if (text.length <= LONGEST_SHORT) {
      this.#length += scratch.write(text, this.#length, "latin1");
      return;
    }
    this.#flush();
    this.#pieces.push(text);
  }

  whole(): string {
    this.#flush();
    return this.#pieces.length === 1 ? (this.#pieces[0] ?? "") : this.#pieces.join("");
  }

  #flush(): void {
    this.#pieces.push(scratch.toString("latin1", 0, this.#length));
    this.#length = 0;
  }
}
