import { CsvRecords, InvalidCsv, type CsvRecord } from "rowhouse/plugin-api/csv";
import { message, type Message } from "../message.js";
import { columnNames, UnreadableFile, type Source, type SourceRow } from "./source.js";
import { textOf } from "./text.js";

/** How values separated by a delimiter are read. */
export interface DelimitedOptions {
  readonly encoding: string;
  /** One character. */
  readonly delimiter: string;
  /** True if the first line has the names of the columns. */
  readonly header: boolean;
}

/** Delimiters that are found by themselves. */
export const DELIMITERS = [
  [",", "comma"],
  [";", "semicolon"],
  ["\t", "tab"],
  ["|", "bar"],
] as const;

const SAMPLED_RECORDS = 100;

/** The line with which files for Excel say their delimiter. */
const SEPARATOR_LINE = /^sep=([^\r\n"])(?:\r\n?|\n|$)/i;

/** The delimiter that the file names, or that gives most records the same number of fields, and more than one. */
export function detectDelimiter(beginning: string): string {
  const named = SEPARATOR_LINE.exec(beginning)?.[1];
  if (named !== undefined) return named;
  let best: { delimiter: string; share: number; fields: number } = { delimiter: ",", share: 0, fields: 1 };
  for (const [delimiter] of DELIMITERS) {
    const counts = sample(beginning, delimiter).map(({ fields }) => fields.length);
    const fields = mostFrequent(counts);
    if (fields < 2) continue;
    const share = counts.filter((count) => count === fields).length / counts.length;
    if (share > best.share || (share === best.share && fields > best.fields))
      best = { delimiter, share, fields };
  }
  return best.delimiter;
}

function mostFrequent(counts: readonly number[]): number {
  const times = new Map<number, number>();
  for (const count of counts) times.set(count, (times.get(count) ?? 0) + 1);
  return [...times].toSorted(([, left], [, right]) => right - left)[0]?.[0] ?? 0;
}

const NUMBER_OR_DATE = /^[+-]?\d[\d.,:T/-]*$/;

/** True unless the first line has numbers or dates, as values have. */
export function detectHeader(beginning: string, delimiter: string): boolean {
  const [first] = sample(beginning.replace(SEPARATOR_LINE, ""), delimiter);
  const names = (first?.fields ?? []).filter((name) => name !== null);
  return names.length > 0 && names.every((name) => !NUMBER_OR_DATE.test(name.trim()));
}

function sample(beginning: string, delimiter: string): readonly CsvRecord[] {
  try {
    const records = new CsvRecords(delimiter);
    const whole = records.add(beginning);
    return (whole.length > 0 ? whole : records.end()).slice(0, SAMPLED_RECORDS);
  } catch {
    return [];
  }
}

/** Values separated by a delimiter. The names of the columns are known after the first row was read. */
export function delimitedSource(file: Blob, options: DelimitedOptions): Source {
  const columns: string[] = [];
  return {
    columns,
    placeName: "line",
    async *rows() {
      let isFirst = true;
      for await (const records of recordsOf(file, options)) {
        const read = isFirst ? records.filter(isNoSeparatorLine(options.delimiter)) : records;
        const rest = isFirst && options.header ? read.slice(1) : read;
        const [first] = read;
        if (first === undefined) continue;
        if (isFirst) {
          const names = options.header ? first.fields : first.fields.map(() => null);
          columns.splice(0, columns.length, ...columnNames(names));
        }
        isFirst = false;
        yield rest.map((record) => rowOf(record, columns.length));
      }
    },
  };
}

const isNoSeparatorLine =
  (delimiter: string) =>
  ({ line, fields }: CsvRecord): boolean =>
    line !== 1 || !SEPARATOR_LINE.test(fields.map((field) => field ?? "").join(delimiter));

async function* recordsOf(
  file: Blob,
  { encoding, delimiter }: DelimitedOptions,
): AsyncGenerator<readonly CsvRecord[]> {
  const records = new CsvRecords(delimiter);
  try {
    for await (const piece of textOf(file, encoding)) yield records.add(piece);
    yield records.end();
  } catch (error) {
    if (error instanceof InvalidCsv)
      throw new UnreadableFile(message("script.import.invalid", { reason: reasonOf(error) }));
    throw error;
  }
}

const reasonOf = ({ mistake, line }: InvalidCsv): Message =>
  message(`script.import.${mistake}`, { line: String(line) });

function rowOf({ line, fields }: CsvRecord, count: number): SourceRow {
  const problem = fields.length === count ? null : lengthMessage(fields.length, count);
  return { place: line, cells: fields, problem };
}

function lengthMessage(fields: number, wanted: number): Message {
  const count = String(wanted);
  return fields === 1
    ? message("script.import.one_field", { count })
    : message("script.import.fields", { fields: String(fields), count });
}
