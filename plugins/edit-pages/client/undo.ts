import { announce, refreshRows, WriteRefused, writeRows, type Written } from "rowhouse/browser";
import { t } from "./texts.js";

/** Announces a change with the button that takes it back. */
export function announceChange(text: string, { undo }: Written, shown = refreshRows): void {
  if (undo === null) return announce(t("script.no_undo", { text }));
  announce(text, async () => {
    try {
      await writeRows(undo);
    } catch (error) {
      const isOld = error instanceof WriteRefused && error.status === 412;
      return announce(isOld ? t("script.changed_since") : messageOf(error));
    }
    await shown();
    announce(t("script.undone"));
  });
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** `1 row`, `5 rows`. */
export const rowCount = (count: number): string => t("script.rows", { count });
