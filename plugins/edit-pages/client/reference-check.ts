import type { EditedColumn } from "./edited-table.js";
import { t } from "./texts.js";

/** A row that a completion has found. */
export interface Match {
  readonly pks?: Readonly<Record<string, unknown>>;
  readonly label?: unknown;
  /** The row path; null for keys that no address can contain. */
  readonly path?: string | null;
}

interface Completion {
  readonly rows?: readonly Match[];
}

/** The key of a match as text. The path of a row has the digits that JavaScript rounds. */
export function keyOfMatch({ pks, path = null }: Match, column: string): string | null {
  const value = pks?.[column];
  if (value === undefined) return null;
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && path !== null && /^-?\d+$/.test(path) ? path : String(value);
}

/** Why a value refers to no row; null if it refers to one, or if that cannot be found out. */
export async function missingReference(text: string, { reference }: EditedColumn): Promise<string | null> {
  const key = text.trim();
  if (key === "" || !reference?.completion) return null;
  const response = await fetch(`${reference.completion}?_size=1&q=${encodeURIComponent(key)}`);
  if (!response.ok) return null;
  // The row with this key comes first.
  const [first] = ((await response.json()) as Completion).rows ?? [];
  const isThere = first !== undefined && keyOfMatch(first, reference.key) === key;
  return isThere ? null : t("script.no_key", { text, table: reference.table });
}
