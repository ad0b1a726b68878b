import { WriteRejected, type Request } from "rowhouse/plugin-api";
import type { InsertConflict as Conflict } from "rowhouse/plugin-api/engine";
import { quotedList } from "../json/body.js";
import type { CsvOptions } from "./row-sources.js";

export type StreamFormat = "ndjson" | "csv" | "tsv";

const FORMATS: ReadonlyMap<string, StreamFormat> = new Map<string, StreamFormat>([
  ["application/x-ndjson", "ndjson"],
  ["application/ndjson", "ndjson"],
  ["application/jsonl", "ndjson"],
  ["text/csv", "csv"],
  ["text/tab-separated-values", "tsv"],
]);

/** The encoding of a text by the parameter `charset` of the content type. */
export const charsetOf = ({ headers }: Request): string =>
  /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? "utf-8";

/** The format of a streamed body by its content type; null for other types. */
export function streamFormat({ headers }: Pick<Request, "headers">): StreamFormat | null {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return FORMATS.get(type.trim().toLowerCase()) ?? null;
}

/** Are the rows of this insert to be upserted? @throws WriteRejected */
export const isUpsertStream = ({ headers, query }: Request): boolean =>
  streamFormat({ headers }) !== null && isFlagSet(query, "upsert");

/** The options in the query string. */
export interface StreamOptions {
  readonly upsert: boolean;
  readonly alter: boolean;
  readonly conflict: Conflict;
}

const OPTIONS = ["ignore", "replace", "upsert", "alter"];
const CSV_OPTIONS = ["delimiter", "header"];

/** @throws WriteRejected */
export function parseStreamOptions(query: URLSearchParams, format: StreamFormat): StreamOptions {
  const known = format === "ndjson" ? OPTIONS : [...OPTIONS, ...CSV_OPTIONS];
  const unknown = [...new Set(query.keys())].filter((name) => !known.includes(name)).toSorted();
  if (unknown.length > 0) throw new WriteRejected([`Invalid parameter: ${quotedList(unknown)}`]);
  const [ignore, replace, upsert, alter] = OPTIONS.map((name) => isFlagSet(query, name)) as [
    boolean,
    boolean,
    boolean,
    boolean,
  ];
  if (ignore && replace) throw new WriteRejected(['Cannot use "ignore" and "replace" at the same time']);
  if (upsert && (ignore || replace)) throw new WriteRejected(["Upsert does not support ignore or replace"]);
  const taken = replace ? "replace" : "fail";
  return { upsert, alter, conflict: ignore ? "ignore" : taken };
}

/** The options `delimiter` and `header` of CSV. @throws WriteRejected */
export function parseCsvOptions(query: URLSearchParams, format: StreamFormat): CsvOptions {
  const delimiter = delimiterOf(query.get("delimiter") ?? (format === "tsv" ? "tab" : ","));
  if (delimiter === null) throw new WriteRejected(['"delimiter" must be one character, or tab']);
  return {
    delimiter,
    header: query.has("header") ? isFlagSet(query, "header") : true,
  };
}

/** The delimiter of CSV: one character, or `tab`. Null for other texts. */
export function delimiterOf(written: string): string | null {
  const delimiter = written === "tab" ? "\t" : written;
  return delimiter.length === 1 && !['"', "\r", "\n"].includes(delimiter) ? delimiter : null;
}

/** True for `?alter`, `?alter=1`, `?alter=on` and so on. @throws WriteRejected for a value that is not a flag */
function isFlagSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name)?.toLowerCase();
  if (value === undefined) return false;
  if (["", "1", "on", "true", "yes"].includes(value)) return true;
  if (["0", "off", "false", "no"].includes(value)) return false;
  throw new WriteRejected([`"${name}" must be on or off`]);
}
