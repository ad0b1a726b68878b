import { createHash } from "node:crypto";
import { formEncode, queryString, rowPaths } from "rowhouse/plugin-api";
import type { RowSet, Visit } from "rowhouse/plugin-api";
import type { BlobLink } from "./text.js";

/**
 * Where the bytes in `rows` can be fetched: from their row where it has a path, else from the same query by
 * their hash.
 */
export function blobLinks(visit: Visit, rows: RowSet): BlobLink {
  const { rowhouse, request, target } = visit;
  // Most exports hold no bytes at all.
  let paths: readonly (string | null)[] | undefined;
  return (bytes, column, row) => {
    paths ??= rowPaths(rows);
    const path = paths[row] ?? null;
    if (path === null || (target.kind !== "table" && target.kind !== "row")) {
      return linkByHash(visit, bytes, column);
    }
    const address = rowhouse.urls.row(target.database.name, target.table.name, path, "blob");
    return `${rowhouse.urls.absolute(request, address)}?_blob_column=${formEncode(column)}`;
  };
}

function linkByHash({ rowhouse, request, basePath }: Visit, bytes: Uint8Array, column: string): string {
  const hash = createHash("sha256").update(bytes).digest("hex");
  const address = rowhouse.urls.absolute(request, rowhouse.urls.path(`${basePath}.blob`));
  const asked = request.queryString === "" ? "" : `${request.queryString}&`;
  return `${address}?${asked}${queryString([
    ["_blob_column", column],
    ["_blob_hash", hash],
  ])}`;
}
