import { announce, refreshRows, WriteRefused, writeRows, type Written } from "rowhouse/browser";

/** Announces a change with the button that takes it back. */
export function announceChange(text: string, { undo }: Written, shown = refreshRows): void {
  if (undo === null) return announce(`${text} This can't be undone.`);
  announce(text, async () => {
    try {
      await writeRows(undo);
    } catch (error) {
      const isOld = error instanceof WriteRefused && error.status === 412;
      return announce(isOld ? "The rows have changed since then. Nothing was undone." : messageOf(error));
    }
    await shown();
    announce("Undone: the rows are as they were.");
  });
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** `1 row`, `5 rows`. */
export const rowCount = (count: number): string => (count === 1 ? "1 row" : `${count} rows`);
