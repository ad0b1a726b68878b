import { addToSlot, keyOf, pageTable, refreshRows, writeRows, type RowPlace } from "rowhouse/browser";
import { openDialog } from "./dialog.js";
import type { EditedTable } from "./edited-table.js";
import { openSetDialog } from "./set-values.js";
import { announceChange, rowCount } from "./undo.js";

/** Adds what the visitor may do to the menus of rows and to the selected rows. */
export function addRowActions(table: EditedTable): void {
  const { mayInsert, mayUpdate, mayDelete } = table;
  addToSlot("row-menu", (row) => {
    const { href } = row;
    if (href === null) return [];
    const path = new URL(href).pathname.split("/").pop() ?? "";
    const copy = `${pageTable()?.url ?? ""}/-/new-row?from=${encodeURIComponent(path)}`;
    return [
      ...(mayUpdate ? [{ label: "Edit", href: `${href}/-/edit` }] : []),
      ...(mayInsert ? [{ label: "Duplicate", href: copy }] : []),
      ...(mayDelete ? [{ label: "Delete", isDangerous: true, run: () => deleteRows(table, [row]) }] : []),
    ];
  });
  if (mayUpdate) addToSlot("selection", { label: "Set a value…", run: (rows) => openSetDialog(table, rows) });
  if (mayDelete)
    addToSlot("selection", {
      label: "Delete",
      isDangerous: true,
      run: (rows) => deleteRows(table, rows),
    });
}

/** Deletes rows at once, since the message offers to undo it; asks first if undoing would not restore everything. */
async function deleteRows({ deletesMore }: EditedTable, rows: readonly RowPlace[]): Promise<void> {
  const save = async (): Promise<void> => {
    const written = await writeRows(rows.map((row) => ({ op: "delete", key: keyOf(row) ?? [] })));
    await refreshRows();
    announceChange(`${rowCount(rows.length)} deleted.`, written);
  };
  if (!deletesMore) return save();
  const title = `Delete ${rowCount(rows.length)}?`;
  const { content } = openDialog({ title, submit: "Delete", isDangerous: true, save });
  content.textContent =
    "Rows of other tables refer to rows of this one, and are deleted or changed with them. Undo restores only the rows of this table.";
}
