import { html, type Reply, type Visit } from "rowhouse/plugin-api";
import { callApi, writeRow } from "./api.js";
import { currentRow, nameOf, rowUrl } from "./edit-row.js";
import { done, editPage, formOf, requireWrite } from "./page.js";
import { deletesMore } from "./rights.js";
import { undoButton } from "./undo.js";
import { tOf } from "./texts.js";

type RowVisit = Visit<"row">;

/** Asks for confirmation before a row is deleted. @throws Forbidden, RowNotFound */
export async function removeRowForm(visit: RowVisit): Promise<Reply> {
  await requireWrite(visit, "delete-row");
  return rowForm(visit, nameOf(visit, await currentRow(visit)), []);
}

/** @throws Forbidden */
export async function removeRowSubmit(visit: RowVisit): Promise<Reply> {
  await requireWrite(visit, "delete-row");
  const { rowhouse, target } = visit;
  const { database, table, key } = target;
  const answer = await writeRow(visit, { op: "delete", members: { key } });
  // The row may be gone by now.
  if (!answer.ok) return rowForm(visit, nameOf(visit, { fields: [] }), answer.errors);
  const undo = await undoButton(visit, answer, rowUrl(visit));
  return done(visit, tOf(visit)("edit.row_deleted"), rowhouse.urls.table(database.name, table.name), undo);
}

async function rowForm(visit: RowVisit, row: string, errors: readonly string[]): Promise<Reply> {
  const t = tOf(visit);
  const { database, table } = visit.target;
  const changesMore = await deletesMore(visit, database, table);
  return editPage(visit, {
    title: t("edit.delete_title", { row }),
    fields: html`${changesMore && html`<p>${t("edit.deletes_more")}</p>`}
      <p><a href="${rowUrl(visit)}">${t("edit.look_at_it")}</a>${t("edit.first")}</p>`,
    submit: t("edit.delete"),
    isDangerous: true,
    errors,
    cancel: rowUrl(visit),
  });
}

type TableVisit = Visit<"table">;

/** Asks for the name of the table to drop. @throws Forbidden */
export async function removeTableForm(visit: TableVisit): Promise<Reply> {
  await requireWrite(visit, "drop-table");
  return tableForm(visit, []);
}

/** @throws Forbidden */
export async function removeTableSubmit(visit: TableVisit): Promise<Reply> {
  await requireWrite(visit, "drop-table");
  const { rowhouse, target } = visit;
  const { database, table } = target;
  const typed = (await formOf(visit)).get("name");
  if (typed !== table.name)
    return tableForm(visit, [tOf(visit)("edit.type_to_confirm", { table: table.name })]);
  const url = rowhouse.urls.table(database.name, table.name);
  const answer = await callApi(visit, `${url}/-/drop`, { confirm: true });
  if (!answer.ok) return tableForm(visit, answer.errors);
  return done(
    visit,
    tOf(visit)("edit.table_dropped", { table: table.name }),
    rowhouse.urls.database(database.name),
  );
}

const tableForm = (visit: TableVisit, errors: readonly string[]): Promise<Reply> =>
  editPage(visit, {
    title: tOf(visit)("edit.drop_title", { table: visit.target.table.name }),
    fields: html`
      <p>${tOf(visit)("edit.gone")}</p>
      <p class="field">
        <label for="name"
          >${tOf(visit)("edit.type")}
          <strong dir="auto">${visit.target.table.name}</strong> ${tOf(visit)("edit.to_confirm")}</label
        >
        <input type="text" id="name" name="name" autocomplete="off" required />
      </p>
    `,
    submit: tOf(visit)("edit.drop_table"),
    isDangerous: true,
    errors,
    cancel: visit.rowhouse.urls.table(visit.target.database.name, visit.target.table.name),
  });
