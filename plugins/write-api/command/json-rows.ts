import { WriteRejected } from "rowhouse/plugin-api";
import { parseJson } from "../json-parser.js";
import { isList, isObject } from "../json-value.js";
import type { ReadRow, RowSource } from "../stream/read-row.js";

const ROWS_AT_ONCE = 500;

/** The rows of a JSON list of objects, or of a single object; all of it is held in memory. @throws WriteRejected */
export async function* jsonRows(text: AsyncIterable<string>): RowSource {
  const pieces: string[] = [];
  for await (const piece of text) pieces.push(piece);
  const document = parseJson(pieces.join(""));
  const rows = isObject(document) ? [document] : document;
  if (!isList(rows)) throw new WriteRejected(["JSON must be a list of dictionaries, or a dictionary"]);
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    // Of a row in a list nobody knows the line; its place says as much.
    yield rows
      .slice(at, at + ROWS_AT_ONCE)
      .map((row): ReadRow =>
        isObject(row) ? { line: null, row } : { line: null, problem: "must be a dictionary" },
      );
  }
}
