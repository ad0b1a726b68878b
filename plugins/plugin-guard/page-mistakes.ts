import { isObject, type Page } from "rowhouse/plugin-api";

const MIN_STATUS = 200;
const MAX_STATUS = 999;

/** What is wrong with a page, which renderers take as their types say; null for a valid one. */
export function pageMistake({ status = MIN_STATUS, rows, stream }: Page): string | null {
  if (!Number.isInteger(status) || status < MIN_STATUS || status > MAX_STATUS)
    return `the status of its page is ${String(status)}; it should be a number from ${MIN_STATUS} to ${MAX_STATUS}`;
  if (rows !== undefined && !isRowSet(rows))
    return "the rows of its page should have columns, keys, cells and json: lists, or null for cells or json";
  if (stream !== undefined && !isRowStream(stream))
    return "the stream of its page should have columns, keys, labelled (lists) and batches (an asynchronous iterable)";
  return null;
}

const isList = (value: unknown): boolean => Array.isArray(value);

const isRowSet = (rows: unknown): boolean =>
  isObject(rows) &&
  isList(rows["columns"]) &&
  isList(rows["keys"]) &&
  [rows["cells"], rows["json"]].every((form) => form === null || isList(form));

const isRowStream = (stream: unknown): boolean =>
  isObject(stream) &&
  ["columns", "keys", "labelled"].every((name) => isList(stream[name])) &&
  typeof Object(stream["batches"])[Symbol.asyncIterator] === "function";
