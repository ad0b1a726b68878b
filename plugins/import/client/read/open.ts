import type { Workbook } from "../xlsx/workbook.js";
import { delimitedSource, detectDelimiter, detectHeader } from "./delimited.js";
import { jsonSource } from "./json.js";
import { message } from "../message.js";
import { UnreadableFile, type Source, type SourceRow } from "./source.js";
import { beginningOf, detectEncoding, FALLBACK } from "./text.js";

/** A file, or pasted rows. */
export interface ImportFile {
  readonly name: string;
  readonly blob: Blob;
}

/** How a file is read. Users can change all of it. */
export interface Reading {
  readonly format: "delimited" | "json" | "xlsx";
  readonly encoding: string;
  readonly delimiter: string;
  /** True if the first row has the names of the columns. */
  readonly header: boolean;
  /** The path of the sheet of a workbook. */
  readonly sheet: string;
}

/** A file whose format is known. */
export interface Opened {
  readonly file: ImportFile;
  readonly workbook: Workbook | null;
  readonly reading: Reading;
}

const ZIP = "PK\u0003\u0004";
const OLD_WORKBOOK = "\u00d0\u00cf\u0011\u00e0";

/** Detects how a file is to be read. @throws UnreadableFile */
export async function openFile(file: ImportFile): Promise<Opened> {
  const magic = await beginningOf(file.blob.slice(0, 4), "latin1");
  if (magic === ZIP || magic === OLD_WORKBOOK) {
    return openBook(file);
  }
  const encoding = await detectEncoding(file.blob);
  const beginning = await beginningOf(file.blob, encoding);
  const delimiter = /\.(?:tsv|tab)$/i.test(file.name) ? "\t" : detectDelimiter(beginning);
  const format = isJson(file.name, beginning) ? "json" : "delimited";
  const header = detectHeader(beginning, delimiter);
  return { file, workbook: null, reading: { format, encoding, delimiter, header, sheet: "" } };
}

async function openBook(file: ImportFile): Promise<Opened> {
  const { openWorkbook } = await import("../xlsx/workbook.js");
  const workbook = await openWorkbook(file.blob);
  const { sheets } = workbook;
  const sheet = (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])?.path ?? "";
  const reading: Reading = { format: "xlsx", encoding: "", delimiter: "", header: false, sheet };
  const first = await firstRow(await sourceOf({ file, workbook, reading }, reading));
  const hasNames = first !== null && first.cells.every((cell) => cell === null || typeof cell === "string");
  return { file, workbook, reading: { ...reading, header: hasNames } };
}

async function firstRow(source: Source): Promise<SourceRow | null> {
  for await (const [first] of source.rows()) if (first !== undefined) return first;
  return null;
}

function isJson(name: string, beginning: string): boolean {
  if (/\.(?:csv|tsv|tab)$/i.test(name)) return false;
  return /\.(?:json|ndjson|jsonl)$/i.test(name) || /^\s*(?:\{|\[\s*[{\]])/.test(beginning);
}

/** The rows of a file, read in this way. @throws UnreadableFile for pictures and other files that are not text */
export async function sourceOf({ file, workbook }: Opened, reading: Reading): Promise<Source> {
  const { format, encoding, delimiter, header, sheet } = reading;
  if (workbook !== null) {
    const { sheetSource } = await import("../xlsx/sheet.js");
    return sheetSource(workbook, { path: sheet, header });
  }
  if (encoding === FALLBACK && (await beginningOf(file.blob, encoding)).includes("\0"))
    throw new UnreadableFile(message("script.import.not_text"));
  if (format === "json") return jsonSource(file.blob, encoding);
  return delimitedSource(file.blob, { encoding, delimiter, header });
}
