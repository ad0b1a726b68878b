import { announce, element, WriteRefused, writeRows, type RowPlace } from "rowhouse/browser";
import { ChangeNotes } from "./change-notes.js";
import { openDialog } from "./dialog.js";
import type { EditedTable } from "./edited-table.js";
import { SelectedRows, type OtherChange } from "./selected-rows.js";
import { messageOf, rowCount, showChange } from "./undo.js";
import { t } from "./texts.js";

const HAS_CHANGED = 412;

/** A second press of the button would find the rows deleted, and hide the message that offers Undo. */
let isRunning = false;

/**
 * Deletes rows as the page shows them, at once, since the message offers to undo it. Asks first if other clients have
 * changed some of them since the page was loaded, or if undoing would not restore everything.
 */
export async function deleteRows(table: EditedTable, rows: readonly RowPlace[]): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  try {
    await deleteOrAsk(table, await SelectedRows.read(rows));
  } catch (error) {
    announce(messageOf(error));
  } finally {
    isRunning = false;
  }
}

async function deleteOrAsk({ deletesMore }: EditedTable, selected: SelectedRows): Promise<void> {
  if (selected.chosen(true).length === 0) return announce(t("script.already_deleted"));
  const changes = selected.leaveOutChanged();
  if (deletesMore || changes.length > 0) return askFirst(selected, { changes, deletesMore });
  const refused = await deleteChosen(selected, false);
  if (refused.length > 0) askFirst(selected, { changes: refused, deletesMore });
}

/** @returns what other clients have changed meanwhile, so that nothing was deleted. @throws WriteRefused */
async function deleteChosen(
  selected: SelectedRows,
  includesConflicts: boolean,
): Promise<readonly OtherChange[]> {
  const versions = selected.versions(includesConflicts);
  try {
    const written = await writeRows(versions.map((row) => ({ op: "delete", ...row })));
    await showChange(t("script.deleted", { rows: rowCount(versions.length) }), written);
    return [];
  } catch (error) {
    if (!(error instanceof WriteRefused) || error.status !== HAS_CHANGED) throw error;
    return selected.reread();
  }
}

interface Question {
  /** Because of which rows are left out. */
  readonly changes: readonly OtherChange[];
  readonly deletesMore: boolean;
}

function askFirst(selected: SelectedRows, { changes, deletesMore }: Question): void {
  const notes = new ChangeNotes(t("script.delete_these_too"));
  const dialog = openDialog({
    title: t("script.delete_rows", { rows: rowCount(selected.chosen(true).length) }),
    submit: "",
    isDangerous: true,
    save: async () => {
      if (selected.chosen(notes.includesConflicts).length === 0) throw new Error(t("script.none_to_delete"));
      const refused = await deleteChosen(selected, notes.includesConflicts);
      if (refused.length === 0) return;
      notes.showConflicts(refused);
      showNumber();
      throw new Error(t("script.rows_changed_kept"));
    },
  });
  const showNumber = (): void => {
    const rows = rowCount(selected.chosen(notes.includesConflicts).length);
    dialog.submit.textContent = t("script.delete_number", { rows });
  };
  notes.onChoice = showNumber;
  if (changes.length > 0) notes.showConflicts(changes);
  if (deletesMore) dialog.content.append(element("p", {}, t("script.deletes_more")));
  dialog.content.append(notes.element);
  showNumber();
}
