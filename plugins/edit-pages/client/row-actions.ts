import { addToSlot, pageTable } from "rowhouse/browser";
import { deleteRows } from "./delete-rows.js";
import type { EditedTable } from "./edited-table.js";
import { openSetDialog } from "./set-values.js";
import { t } from "./texts.js";

/** Adds what the visitor may do to the menus of rows and to the selected rows. */
export function addRowActions(table: EditedTable): void {
  const { mayInsert, mayUpdate, mayDelete } = table;
  addToSlot("row-menu", (row) => {
    const { href } = row;
    if (href === null) return [];
    const path = new URL(href).pathname.split("/").pop() ?? "";
    const copy = `${pageTable()?.url ?? ""}/-/new-row?from=${encodeURIComponent(path)}`;
    return [
      ...(mayUpdate ? [{ label: t("script.edit"), href: `${href}/-/edit` }] : []),
      ...(mayInsert ? [{ label: t("script.duplicate"), href: copy }] : []),
      ...(mayDelete
        ? [{ label: t("script.delete"), isDangerous: true, run: () => deleteRows(table, [row]) }]
        : []),
    ];
  });
  if (mayUpdate)
    addToSlot("selection", { label: t("script.set_value"), run: (rows) => openSetDialog(table, rows) });
  if (mayDelete)
    addToSlot("selection", {
      label: t("script.delete"),
      isDangerous: true,
      run: (rows) => deleteRows(table, rows),
    });
}
