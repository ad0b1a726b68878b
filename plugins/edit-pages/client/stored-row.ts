import { keyOf, pageTable, WriteRefused, type RowPlace } from "rowhouse/browser";

/** A row as it is stored, and its version. */
export interface StoredRow {
  readonly values: Readonly<Record<string, unknown>>;
  readonly version: string;
}

/** Reads a row by the address of its page. @throws WriteRefused */
export async function readRow(href: string): Promise<StoredRow> {
  const response = await fetch(`${href}.json?_shape=objects&_extras=version&_bigint=text`, {
    cache: "no-store",
  });
  // A proxy answers with a page.
  const reply = (await response.json().catch(() => ({}))) as {
    rows?: Record<string, unknown>[];
    error?: string;
  };
  const { rows, error } = reply;
  const [row] = rows ?? [];
  if (!response.ok || row === undefined)
    throw new WriteRefused(response.status, [error ?? response.statusText]);
  // A proxy that compresses replies weakens their tags.
  return { values: row, version: response.headers.get("etag")?.replace(/^W\//, "") ?? "" };
}

/** Reads several rows; null for those that were deleted, and for rows without a page. @throws WriteRefused */
export async function readRows(rows: readonly RowPlace[]): Promise<readonly (StoredRow | null)[]> {
  const response = await fetch(`${pageTable()?.url ?? ""}/-/rows?_bigint=text`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ keys: rows.map(keyOf) }),
  });
  const reply = (await response.json().catch(() => ({}))) as {
    readonly rows?: readonly ({ readonly row: StoredRow["values"]; readonly version: string } | null)[];
    readonly errors?: readonly string[];
    readonly error?: string;
  };
  if (!response.ok || reply.rows === undefined)
    throw new WriteRefused(response.status, reply.errors ?? [reply.error ?? response.statusText]);
  return reply.rows.map((found) => found && { values: found.row, version: found.version });
}
