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

/** What an error says, and what to do if the session or the connection has ended. */
export function messageOf(error: unknown): string {
  if (error instanceof WriteRefused && error.status === FORBIDDEN)
    return t("script.not_allowed", { reason: error.message });
  // `fetch` throws it if there is no reply.
  if (error instanceof TypeError) return t("script.no_answer");
  return error instanceof Error ? error.message : String(error);
}

const FORBIDDEN = 403;

/** `1 row`, `5 rows`. */
export const rowCount = (count: number): string => t("script.rows", { count });
