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
 * Completes all in one loop, which is the fastest way in JavaScript: calls of Buffer's methods for each part take longer
 * than the bytes, and a regular expression that finds what is outside of ASCII takes fourteen times as long for a text in
 * Cyrillic. A function inside of it would share the variables of the loop, which makes each byte take a third longer.
 */
function utf8ToWireJson(bytes: JsonBytes, infinity: InfinityForm): string {
  const text = bytes.toString("latin1");
  let completed = "";
  let length = 0;
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0;
    if (byte < DELETE && byte !== REAL && byte !== BLOB) {
      scratch[length] = byte;
      length += 1;
      at += 1;
    } else if (byte >= DELETE) {
      const size = byte === DELETE ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
      length = writeCharacter(codePoint(bytes, at, size), length);
      at += size;
    } else {
      const end = text.indexOf(byte === REAL ? MARKS.real : MARKS.blob, at + 1);
      const marked = text.slice(at + 1, end);
      const cell = byte === REAL ? realJson(readReal(marked), infinity) : blobText(marked);
      if (cell.length > LONGEST_SHORT) {
        completed += scratch.toString("latin1", 0, length) + cell;
        length = 0;
      } else {
        length = writeShort(cell, length);
      }
      at = end + 1;
    }
    if (length > SCRATCH_BYTES) {
      completed += scratch.toString("latin1", 0, length);
      length = 0;
    }
  }
  return completed + scratch.toString("latin1", 0, length);
}

function codePoint(bytes: JsonBytes, at: number, size: number): number {
  const lead = bytes[at] ?? 0;
  let code = size === 1 ? lead : lead & (0xff >> (size + 1));
  for (let next = 1; next < size; next += 1) code = (code << 6) | ((bytes[at + next] ?? 0) & 0x3f);
  return code;
}

/** Texts are put together here, some thousand characters at a time. */
const SCRATCH_BYTES = 65_536;
const LONGEST_SHORT = 64;
const scratch = Buffer.allocUnsafe(SCRATCH_BYTES + LONGEST_SHORT + 1);

/** Writes the escape of a character. @returns the place after it */
function writeCharacter(code: number, at: number): number {
  if (code <= 0xffff) return writeAsciiJson(scratch, at, code);
  return writeAsciiJson(scratch, writeAsciiJson(scratch, at, 0xd7c0 + (code >> 10)), 0xdc00 + (code & 0x3ff));
}

/** Writes an ASCII text of at most 64 characters. @returns the place after it */
function writeShort(text: string, at: number): number {
  for (let index = 0; index < text.length; index += 1) scratch[at + index] = text.charCodeAt(index);
  return at + text.length;
}
