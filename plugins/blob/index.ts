import { createHash } from "node:crypto";
import {
  definePlugin,
  BadRequest,
  NotFound,
  type Page,
  type Reply,
  type RowSet,
  type SqlValue,
  type Visit,
} from "rowhouse/plugin-api";
import { plainValue, resumed, UnreadBlob } from "rowhouse/plugin-api/engine";
import { cssClass } from "rowhouse/plugin-api/html";
import { attachment } from "rowhouse/plugin-api/http";

/** The bytes of one cell as a file: `.blob?_blob_column=name`. */
export default definePlugin({
  name: "blob",
  deterministic: true,
  unguarded: true,
  register_output_renderer: (rowhouse) => ({
    extension: "blob",
    wants: ({ query }) => ({
      rows: "cells",
      infinity: "words",
      parts: new Set(),
      labels: false,
      ...(!query.get("_blob_hash") && { longBlobs: "sizes", malformedText: "bytes" }),
      // A link in a streamed CSV leads to bytes in any row of the stream.
      stream: isStreamed(query) && rowhouse.settings.get("allow_csv_stream")?.value === true,
    }),
    render,
  }),
});

const isStreamed = (query: URLSearchParams): boolean =>
  Boolean(query.get("_stream")) && Boolean(query.get("_blob_hash")) && !query.get("_next");

// Browsers save the bytes and never execute them, whatever their content.
const SAFETY = {
  "content-type": "application/binary",
  "x-content-type-options": "nosniff",
  "content-security-policy": "sandbox; default-src 'none'",
};

/**
 * The value of a column in the first row of the page, or in the row whose bytes have the given hash.
 *
 * @throws BadRequest if the page or stream does not contain the column or the hash
 * @throws NotFound if the page has no row
 */
async function render(page: Page, visit: Visit): Promise<Reply> {
  const column = visit.request.query.get("_blob_column");
  const hash = visit.request.query.get("_blob_hash");
  if (column === null) throw new BadRequest("?_blob_column= is required");
  const batches = page.stream?.batches ?? [page.rows];
  const value = hash ? await findByHash(batches, column, hash) : first(columnValues(page.rows, column));
  const name = [...placeNames(visit), cssClass(column), ...(hash ? [hash.slice(0, 6)] : [])].join("-");
  return {
    status: 200,
    headers: {
      ...SAFETY,
      ...(value instanceof UnreadBlob && { "content-length": String(value.size) }),
      "content-disposition": attachment(`${name}.blob`),
    },
    body: value instanceof UnreadBlob ? await piecesOf(value) : bytesOf(value),
  };
}

/** @throws BadRequest if the value has changed since its size was read */
async function piecesOf(value: UnreadBlob): Promise<AsyncIterable<Uint8Array>> {
  const pieces = value.pieces()[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done === true) throw expired();
  return resumed(first, pieces);
}

function columnValues(rows: RowSet | undefined, column: string): readonly SqlValue[] {
  const place = rows?.columns.indexOf(column) ?? -1;
  if (place === -1)
    throw new BadRequest(column === "" ? "?_blob_column= is required" : `${column} is not a valid column`);
  return (rows?.cells ?? []).map((row) => plainValue(row[place] ?? null));
}

function first(values: readonly SqlValue[]): SqlValue {
  const [value] = values;
  if (value === undefined) throw new NotFound("No row found");
  return value;
}

async function findByHash(
  batches: AsyncIterable<RowSet> | Iterable<RowSet | undefined>,
  column: string,
  hash: string,
): Promise<SqlValue> {
  for await (const rows of batches) {
    for (const value of columnValues(rows, column)) {
      if (value instanceof Uint8Array && sha256(value) === hash) return value;
    }
  }
  throw expired();
}

const expired = (): BadRequest =>
  new BadRequest("Link has expired - the requested binary content has changed or could not be found.");

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const bytesOf = (value: SqlValue): Uint8Array =>
  value instanceof Uint8Array ? value : Buffer.from(value === null ? "" : String(value), "utf8");

/** Parts of the file name: the table, and the row's path from the URL; empty for queries. */
function placeNames({ target, basePath }: Visit): readonly string[] {
  if (target.kind === "table") return [cssClass(target.table.name)];
  if (target.kind !== "row") return [];
  return [cssClass(target.table.name), basePath.slice(basePath.lastIndexOf("/") + 1)];
}
