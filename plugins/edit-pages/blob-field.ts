import { html, isObject, withQuery, type Column, type Html } from "rowhouse/plugin-api";
import type { Translator } from "rowhouse/plugin-api/html";

/** A stored BLOB, as the field for its column shows it. */
export interface StoredBlob {
  readonly size: number;
  readonly isImage: boolean;
}

/** Columns whose values are files: declared as such, or with bytes that no field of text can show. */
export const holdsBytes = (column: Column, value: unknown): boolean =>
  /blob|bytea|binary/i.test(column.type) || isEncoded(value);

const isEncoded = (value: unknown): value is { readonly encoded: string } =>
  isObject(value) && typeof value["encoded"] === "string";

/** Null for NULL. @param value of a JSON document, where bytes that are text are a text */
export function storedBlob(value: unknown): StoredBlob | null {
  if (value === null || value === undefined) return null;
  const bytes = isEncoded(value) ? Buffer.from(value.encoded, "base64") : Buffer.from(String(value));
  return {
    size: bytes.length,
    isImage: IMAGES.some((start) => bytes.subarray(0, start.length).equals(start)),
  };
}

/** How PNG, JPEG, GIF and WebP begin. */
const IMAGES = ["89504e47", "ffd8ff", "47494638", "52494646"].map((start) => Buffer.from(start, "hex"));

interface BlobField {
  readonly column: Column;
  readonly index: number;
  readonly stored: StoredBlob | null;
  /** The address of the row; null for a new row. */
  readonly row: string | null;
  readonly t: Translator["t"];
}

/** Shows what is stored, and takes a file that replaces it. */
export function blobField({ column, index, stored, row, t }: BlobField): Html {
  const href = row === null ? "" : withQuery(`${row}.blob`, [["_blob_column", column.name]]);
  const size = t("edit.bytes", { count: stored?.size ?? 0 });
  return html`<div class="blob-field" data-blob>
    ${stored !== null && stored.isImage && row !== null && html`<img src="${href}" alt="${t("edit.stored_image", { column: column.name })}" />`}
    ${stored !== null && row !== null && html`<a href="${href}" download>${t("edit.download")}</a> <span class="hint">${size}</span>`}
    ${stored === null && html`<span class="hint">${t("edit.no_file")}</span>`}
    <input type="file" id="v${index}" name="f${index}" />
    ${
      stored !== null &&
      !column.notNull &&
      html`<label><input type="checkbox" name="n${index}" value="1" /> ${t("edit.remove_file")}</label>`
    }
  </div>`;
}

/** The file that was chosen, or NULL to remove the stored one; undefined to keep it. */
export async function sentBlob(
  { files, fields }: { readonly files: ReadonlyMap<string, File>; readonly fields: URLSearchParams },
  index: number,
): Promise<unknown> {
  const file = files.get(`f${index}`);
  if (file !== undefined && (file.size > 0 || file.name !== "")) {
    const encoded = Buffer.from(await file.arrayBuffer()).toString("base64");
    return { $base64: true, encoded };
  }
  return fields.has(`n${index}`) ? null : undefined;
}
