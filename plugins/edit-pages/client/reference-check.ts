import type { EditedColumn } from "./edited-table.js";
import { t } from "./texts.js";

interface Completion {
  readonly rows?: readonly { readonly pks?: Readonly<Record<string, unknown>> }[];
}

/** Why a value refers to no row; null if it refers to one, or if that cannot be found out. */
export async function missingReference(text: string, { reference }: EditedColumn): Promise<string | null> {
  const key = text.trim();
  if (key === "" || !reference?.completion) return null;
  const response = await fetch(`${reference.completion}?_size=1&q=${encodeURIComponent(key)}`);
  if (!response.ok) return null;
  // The row with this key comes first.
  const [first] = ((await response.json()) as Completion).rows ?? [];
  const isThere = String(first?.pks?.[reference.key] ?? "") === key;
  return isThere ? null : t("script.no_key", { text, table: reference.table });
}
