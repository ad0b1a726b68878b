import { WriteRejected, type Request } from "rowhouse/plugin-api";
import type { InsertConflict } from "rowhouse/plugin-api/engine";
import { conflictOf } from "../insert/insert-rows.js";
import { isFlagSet, quotedList, type StreamFormat } from "../json/body.js";
import type { CsvOptions } from "./row-sources.js";

/** The encoding of a text by the parameter `charset` of the content type. */
export const charsetOf = ({ headers }: Request): string =>
  /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers["content-type"] ?? "")?.[1] ?? "utf-8";

/** The options in the query string. */
export interface StreamOptions {
  readonly upsert: boolean;
  readonly alter: boolean;
  readonly conflict: InsertConflict;
  /** The reply has the keys of the rows that were inserted. */
  readonly returnsKeys: boolean;
}

const OPTIONS = ["ignore", "replace", "upsert", "alter", "return_keys"];
const CSV_OPTIONS = ["delimiter", "header"];

/** @throws WriteRejected */
export function parseStreamOptions(
  query: URLSearchParams,
  { format, isUpsert }: { readonly format: StreamFormat; readonly isUpsert: boolean },
): StreamOptions {
  const known = format === "ndjson" ? OPTIONS : [...OPTIONS, ...CSV_OPTIONS];
  const unknown = [...new Set(query.keys())].filter((name) => !known.includes(name)).toSorted();
  if (unknown.length > 0) throw new WriteRejected([`Invalid parameter: ${quotedList(unknown)}`]);
  const ignore = isFlagSet(query, "ignore");
  const replace = isFlagSet(query, "replace");
  const alter = isFlagSet(query, "alter");
  const returnsKeys = isFlagSet(query, "return_keys");
  const upsert = isFlagSet(query, "upsert") || isUpsert;
  if (ignore && replace) throw new WriteRejected(['Cannot use "ignore" and "replace" at the same time']);
  if (upsert && (ignore || replace)) throw new WriteRejected(["Upsert does not support ignore or replace"]);
  if (returnsKeys && (upsert || replace)) {
    throw new WriteRejected(['"return_keys" is for inserts that change no existing row']);
  }
  return { upsert, alter, conflict: conflictOf({ ignore, replace }), returnsKeys };
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
