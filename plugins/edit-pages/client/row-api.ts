/** A row as it is stored, and its version. */
export interface StoredRow {
  readonly values: Readonly<Record<string, unknown>>;
  readonly version: string;
}

/** A write that was refused. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Reads a row by the address of its page. @throws Refused */
export async function readRow(href: string): Promise<StoredRow> {
  const response = await fetch(`${href}.json?_shape=objects&_extras=version&_bigint=text`, {
    cache: "no-store",
  });
  const { rows, error } = (await response.json()) as { rows?: Record<string, unknown>[]; error?: string };
  const [row] = rows ?? [];
  if (!response.ok || row === undefined) throw new Refused(response.status, error ?? response.statusText);
  return { values: row, version: response.headers.get("etag") ?? "" };
}

/**
 * Writes one value if the row still has this version.
 *
 * @param json the value as JSON text, so that large integers stay exact
 * @returns the new version
 * @throws Refused, with status 412 if the row has changed
 */
export async function writeValue(
  href: string,
  { column, json, version }: { readonly column: string; readonly json: string; readonly version: string },
): Promise<string> {
  const response = await fetch(`${href}/-/update`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", "if-match": version },
    body: `{"update": {${JSON.stringify(column)}: ${json}}}`,
  });
  if (response.ok) return response.headers.get("etag") ?? "";
  const { errors = [], error } = (await response.json().catch(() => ({}))) as {
    errors?: string[];
    error?: string;
  };
  throw new Refused(response.status, errors.join(" ") || error || response.statusText);
}
