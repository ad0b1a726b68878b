import { begun } from "rowhouse/plugin-api";
import type { Page, RowSet, RowStream, Visit } from "rowhouse/plugin-api";
import { blobLinks } from "./blob-links.js";
import { headingLine, rowLine } from "./text.js";
import type { CsvColumns } from "./text.js";

/** The lines of one page, the heading first unless `_header=off`. */
export function* pageLines({ rows, data }: Page, visit: Visit): Generator<string> {
  if (rows === undefined) return;
  const expanded = data["expanded_columns"];
  const labelled = new Set<string>(Array.isArray(expanded) ? expanded : []);
  const columns = { columns: rows.columns, labelled };
  yield* heading(columns, visit);
  yield* batchLines(columns, rows, visit);
}

/**
 * The lines of a whole result as they are read. The first batch is read before this resolves, so that what is
 * wrong with the query still becomes a proper error.
 */
export async function streamLines(stream: RowStream, visit: Visit): Promise<AsyncIterable<Iterable<string>>> {
  const columns = { columns: stream.columns, labelled: new Set(stream.labelled) };
  return following(columns, await begun(stream.batches), visit);
}

async function* following(columns: CsvColumns, batches: AsyncIterable<RowSet>, visit: Visit) {
  yield heading(columns, visit);
  for await (const rows of batches) yield batchLines(columns, rows, visit);
}

const heading = (columns: CsvColumns, { request }: Visit): readonly string[] =>
  request.query.get("_header") === "off" ? [] : [headingLine(columns)];

function* batchLines(columns: CsvColumns, rows: RowSet, visit: Visit): Generator<string> {
  const link = blobLinks(visit, rows);
  for (const [index, cells] of (rows.cells ?? []).entries()) yield rowLine(columns, cells, index, link);
}
