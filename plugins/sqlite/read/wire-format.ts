import { asciiJson, blobJson, realJson, type InfinityForm } from "rowhouse/plugin-api";
import { MARKS, ROW_SEPARATOR } from "./row-encoding.js";

/** Most text is finished as it comes: one test over all of it decides. */
// oxlint-disable-next-line no-control-regex
const UNFINISHED = /[\u0001\u0002\u007f-\uffff]/;
// oxlint-disable-next-line no-control-regex
const MARKED = /\u0001([^\u0001]*)\u0001|\u0002([^\u0002]*)\u0002/g;

/** Rows as SQLite wrote them, one text for all, in wire form. */
export const wireRows = (text: string, infinity: InfinityForm): string[] =>
  toWireJson(text, infinity).split(ROW_SEPARATOR);

/** What reads the rows of one text: in wire form already they only need to be cut. */
export const wireParser =
  (infinity: InfinityForm, isFinished = false): ((text: string) => string[]) =>
  (text) =>
    isFinished ? text.split(ROW_SEPARATOR) : wireRows(text, infinity);

/** One text in wire form, its marks and characters beyond ASCII written out. */
export function toWireJson(text: string, infinity: InfinityForm): string {
  if (!UNFINISHED.test(text)) return text;
  const unmarked =
    text.includes(MARKS.real) || text.includes(MARKS.blob) ? replaceMarks(text, infinity) : text;
  return asciiJson(unmarked);
}

const replaceMarks = (text: string, infinity: InfinityForm): string =>
  text.replace(MARKED, (_marked, digits?: string, hex?: string) =>
    digits === undefined ? blobJson(Buffer.from(hex ?? "", "hex")) : realJson(readReal(digits), infinity),
  );

/** A double from what SQLite prints for it. */
export function readReal(digits: string): number {
  if (digits.endsWith("Inf")) return digits.startsWith("-") ? -Infinity : Infinity;
  return Number(digits);
}
