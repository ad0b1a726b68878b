import { WriteRejected } from "rowhouse/plugin-api";
import { parseJson } from "../json-parser.js";
import { isObject } from "../json-value.js";
import type { ReadRow, RowSource } from "./read-row.js";

/** In characters. */
const LONGEST_LINE = 16 * 1024 * 1024;

/** A JSON object a line; empty lines are passed over. @throws WriteRejected for a line without an end */
export async function* ndjsonRows(text: AsyncIterable<string>): RowSource {
  let number = 0;
  for await (const lines of linesOf(text)) {
    const rows: ReadRow[] = [];
    for (const line of lines) {
      number += 1;
      if (line.trim() !== "") rows.push(readLine(line, number));
    }
    yield rows;
  }
}

async function* linesOf(text: AsyncIterable<string>): AsyncIterable<readonly string[]> {
  let rest = "";
  for await (const piece of text) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > LONGEST_LINE) throw new WriteRejected(["A line is longer than 16777216 characters"]);
    if (lines.length > 0) yield lines;
  }
  if (rest !== "") yield [rest];
}

function readLine(text: string, line: number): ReadRow {
  try {
    const row = parseJson(text);
    return isObject(row) ? { line, row } : { line, problem: "must be a dictionary" };
  } catch (error) {
    if (!(error instanceof WriteRejected)) throw error;
    // The parser counts lines from the beginning of what it was given.
    return { line, problem: error.message.replace(/: line 1 (column \d+) \(char \d+\)$/, ": $1") };
  }
}
