import { scriptTexts } from "./texts.js";

const t = scriptTexts({
  "script.not_answered": "The server did not answer. Check the connection and try again.",
  "script.not_json": "The reply of {path} is not JSON.",
});

/** The JSON document behind a page of rows. */
export interface RowsDocument {
  readonly columns: readonly string[];
  /** Values by column; a foreign key that has a label is `{ value, label }`. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The number of all rows; null if there are more than these and they were not counted. */
  readonly total: number | null;
  /** The columns whose values are the path of a row; empty for views and SQL. */
  readonly keys: readonly string[];
}

/** The rows of a page, as many as one reply contains. @param address absolute URL of its JSON @throws Error with the message of the server */
export async function fetchRows(address: string): Promise<RowsDocument> {
  const wanted = { _size: "max", _labels: "on", _nofacet: "1", _nosuggest: "1" };
  const document = await fetchDocument<PublishedRows>(address, wanted);
  const { columns, rows, truncated, next, filtered_table_rows_count: count } = document;
  const hasMore = truncated === true || (next ?? null) !== null;
  return { columns, rows, total: count ?? (hasMore ? null : rows.length), keys: keysOf(document) };
}

function keysOf({ columns, primary_keys: keys }: PublishedRows): readonly string[] {
  if (keys === undefined || keys.length > 0) return keys ?? [];
  return columns.includes("rowid") ? ["rowid"] : [];
}

interface PublishedRows extends Pick<RowsDocument, "columns" | "rows"> {
  readonly filtered_table_rows_count?: number | null;
  readonly truncated?: boolean;
  readonly next?: string | null;
  readonly primary_keys?: readonly string[];
}

/**
 * The first page of a JSON document, its rows as objects.
 *
 * @param address absolute URL of the JSON of a page
 * @param wanted arguments that replace those of the page
 * @throws Error with the message of the server
 */
export async function fetchDocument<Document extends object>(
  address: string,
  wanted: Readonly<Record<string, string>>,
): Promise<Document> {
  const url = new URL(address);
  const replacing = Object.entries({ _shape: "objects", ...wanted });
  const names = ["_nl", "_next", ...replacing.map(([name]) => name)];
  url.search = changedQuery(url.search, names, replacing);
  const response = await fetch(url).catch(() => null);
  if (response === null) throw new Error(t("script.not_answered"));
  // A proxy answers with a page.
  const document = (await response.json().catch(() => null)) as Published<Document> | null;
  if (!response.ok || document?.error) throw new Error(document?.error ?? response.statusText);
  if (document === null) throw new Error(t("script.not_json", { path: url.pathname }));
  return document;
}

type Published<Document> = Document & { readonly error?: string | null };

/**
 * A query string with some arguments taken out and others added at the end. All else stays as it was sent:
 * `URLSearchParams` would replace bytes that are not UTF-8.
 */
export function changedQuery(
  search: string,
  remove: readonly string[],
  add: Iterable<readonly [name: string, value: string]> = [],
): string {
  const sent = search.replace(/^\?/, "").split("&");
  const kept = sent.filter((part) => {
    const [name] = [...new URLSearchParams(part).keys()];
    return name !== undefined && !remove.includes(name);
  });
  const added = [...add].map((pair) => new URLSearchParams([[...pair]]).toString());
  return [...kept, ...added].join("&");
}
