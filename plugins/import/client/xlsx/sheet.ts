import {
  columnNames,
  JsonValue,
  UnreadableFile,
  type Cell,
  type Source,
  type SourceRow,
} from "../read/source.js";
import { message, type Message } from "../message.js";
import { isoDate } from "./dates.js";
import { textIn, unescapeText, type Workbook } from "./workbook.js";
import { attribute, elements, unescapeXml, type XmlElement } from "./xml.js";

/** How a sheet is read. */
export interface SheetOptions {
  readonly path: string;
  /** True if the first row that is not empty has the names of the columns. */
  readonly header: boolean;
}

/** The rows of a sheet that are not empty. Integers are the texts of the file, dates are ISO 8601. */
export function sheetSource(workbook: Workbook, { path, header }: SheetOptions): Source {
  const columns: string[] = [];
  return {
    columns,
    placeName: "row",
    async *rows() {
      const shared = await workbook.sharedTexts();
      let isFirst = true;
      let place = 0;
      for await (const part of workbook.rowsOf(path)) {
        const rows: SourceRow[] = [];
        for (const row of elements(part, "row")) {
          place = Number(attribute(row.attributes, "r") ?? place + 1);
          const cells = cellsOf(row.content, workbook, shared);
          if (cells.every((cell) => cell === null || cell === undefined)) continue;
          if (isFirst) setNames(columns, cells, header);
          if (!isFirst || !header) rows.push(rowOf(cells, place, columns.length));
          isFirst = false;
        }
        yield rows;
      }
    },
  };
}

function setNames(columns: string[], cells: readonly Cell[], header: boolean): void {
  const names = [...cells].map((cell) => (header ? nameOf(cell) : null));
  columns.splice(0, columns.length, ...columnNames(names));
}

const nameOf = (cell: Cell): string | null => (cell instanceof JsonValue ? cell.json : (cell ?? null));

function rowOf(cells: readonly Cell[], place: number, count: number): SourceRow {
  const whole = Array.from({ length: Math.max(count, cells.length) }, (_, index) => cells[index] ?? null);
  const extra = whole.slice(count).filter((cell) => cell !== null).length;
  const problem = extra === 0 ? null : extraMessage(count + extra, count);
  return { place, cells: whole, problem };
}

const extraMessage = (columns: number, count: number): Message =>
  message("script.import.extra_values", { columns: String(columns), count: String(count) });

function cellsOf(xml: string, workbook: Workbook, shared: readonly string[]): readonly Cell[] {
  const cells: Cell[] = [];
  let position = -1;
  for (const cell of elements(xml, "c")) {
    const reference = attribute(cell.attributes, "r");
    position = reference === null ? position + 1 : positionOf(reference);
    if (position >= MOST_COLUMNS) throw damaged();
    cells[position] = valueOf(cell, workbook, shared);
  }
  return cells;
}

/** The most that a sheet can have. */
const MOST_COLUMNS = 16_384;

const damaged = (): UnreadableFile => new UnreadableFile(message("script.import.workbook_damaged"));

/** `C7` is the third column, at position 2. */
function positionOf(reference: string): number {
  let position = 0;
  for (const letter of reference.toUpperCase().replace(/[^A-Z]/g, ""))
    position = position * 26 + letter.charCodeAt(0) - 64;
  return position - 1;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function valueOf({ attributes, content }: XmlElement, workbook: Workbook, shared: readonly string[]): Cell {
  const type = attribute(attributes, "t") ?? "n";
  if (type === "inlineStr") return textIn(content);
  const [found] = elements(content, "v");
  if (found === undefined) return null;
  const text = unescapeXml(found.content);
  if (type === "str") return unescapeText(text);
  const plain = text.trim();
  // `#N/A` and other errors are no values.
  if (plain === "" || type === "e") return null;
  if (type === "s") return shared[Number(plain)] ?? fail();
  if (type === "b") return new JsonValue(String(plain === "1" || plain === "true"));
  if (type !== "n" || !NUMBER.test(plain)) return text;
  const kind = workbook.styles[Number(attribute(attributes, "s") ?? 0)] ?? null;
  const date = kind === null ? null : isoDate(Number(plain), kind, workbook.dates);
  return date ?? new JsonValue(shortestNumber(plain));
}

function fail(): never {
  throw damaged();
}

/** Decimals of workbooks are doubles, which Excel writes with 17 digits: `7.0000000000000007E-2` is 0.07. */
function shortestNumber(text: string): string {
  const number = Number(text);
  if (!/[.eE]/.test(text) || !Number.isFinite(number)) return text;
  // Without a point, the text of a large double would be an integer of more digits than it has.
  const shortest = String(number);
  return Number.isInteger(number) && !Number.isSafeInteger(number) && !shortest.includes("e")
    ? `${shortest}.0`
    : shortest;
}
