import { WriteRefused } from "rowhouse/browser";

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
  const { rows, error } = (await response.json()) as { rows?: Record<string, unknown>[]; error?: string };
  const [row] = rows ?? [];
  if (!response.ok || row === undefined)
    throw new WriteRefused(response.status, [error ?? response.statusText]);
  return { values: row, version: response.headers.get("etag") ?? "" };
}
