import { WriteRefused, type RowPlace } from "rowhouse/browser";

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
  return { values: row, version: response.headers.get("etag") ?? "" };
}

const AT_ONCE = 6;
const NOT_FOUND = 404;

/** Reads several rows; null for those that were deleted, and for rows without a page. @throws WriteRefused */
export async function readRows(rows: readonly RowPlace[]): Promise<readonly (StoredRow | null)[]> {
  const found: (StoredRow | null)[] = rows.map(() => null);
  const waiting = [...rows.entries()];
  const readOn = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, { href }] = next;
      if (href !== null) found[index] = await readRow(href).catch(nullIfDeleted);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  return found;
}

function nullIfDeleted(error: unknown): null {
  if (error instanceof WriteRefused && error.status === NOT_FOUND) return null;
  throw error;
}
