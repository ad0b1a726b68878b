import { announce, refreshRows, rowsTable, WriteRefused, writeRows, type Written } from "rowhouse/browser";
import { t } from "./texts.js";

/** Shows the rows after a change, and announces it with the button that takes it back. */
export async function showChange(text: string, written: Written, show = refreshRows): Promise<void> {
  // `refreshRows` loads a page without rows again.
  if (rowsTable() === null) keep(text, written);
  announceChange(await withProblemOf(show, text), written, show);
}

const KEPT = "rowhouse-change";

function keep(text: string, { undo }: Written): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify([text, undo]));
  } catch {
    // A browser may forbid storage. The new page then says nothing.
  }
}

/** Announces the first rows of a table, for which the page was loaded again. */
export function announceChangeBeforeReload(): void {
  const kept = takeKept();
  if (kept === null) return;
  const [text, undo] = JSON.parse(kept) as readonly [string, string | null];
  announceChange(text, { undo }, refreshRows);
}

function takeKept(): string | null {
  try {
    const kept = sessionStorage.getItem(KEPT);
    sessionStorage.removeItem(KEPT);
    return kept;
  } catch {
    return null;
  }
}

function announceChange(text: string, { undo }: Written, show: () => Promise<void>): void {
  if (undo === null) return announce(t("script.no_undo", { text }));
  const takeBack = async (): Promise<void> => {
    try {
      await writeRows(undo);
    } catch (error) {
      const isOld = error instanceof WriteRefused && error.status === 412;
      return isOld ? announce(t("script.changed_since")) : announce(messageOf(error), takeBack);
    }
    announce(await withProblemOf(show, t("script.undone")));
  };
  announce(text, takeBack);
}

/** The change is stored, also if its rows cannot be read: `1 row deleted. The rows could not be read again.` */
async function withProblemOf(show: () => Promise<void>, text: string): Promise<string> {
  try {
    await show();
    return text;
  } catch (error) {
    return `${text} ${messageOf(error)}`;
  }
}

/** What an error says, and what to do if the session or the connection has ended. */
export function messageOf(error: unknown): string {
  // `fetch` throws it if there is no reply.
  if (error instanceof TypeError) return t("script.no_answer");
  // The numbers of operations mean nothing to readers, who see rows.
  const reason = (error instanceof Error ? error.message : String(error)).replace(/^Operation \d+: /, "");
  const isForbidden = error instanceof WriteRefused && error.status === FORBIDDEN;
  return isForbidden ? t("script.not_allowed", { reason }) : reason;
}

const FORBIDDEN = 403;

/** `1 row`, `5 rows`. */
export const rowCount = (count: number): string => t("script.rows", { count });
