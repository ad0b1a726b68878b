import { html } from "rowhouse/plugin-api";
import type { Reply, Visit } from "rowhouse/plugin-api";
import { callApi } from "./api.js";
import { rowUrl } from "./edit-row.js";
import { done, editPage, requireWrite } from "./page.js";

type RowVisit = Visit<"row">;

/** Asks for confirmation before a row is deleted. @throws Forbidden */
export async function removeRowForm(visit: RowVisit): Promise<Reply> {
  await requireDelete(visit);
  return form(visit, []);
}

/** @throws Forbidden */
export async function removeRowSubmit(visit: RowVisit): Promise<Reply> {
  await requireDelete(visit);
  const { rowhouse, target } = visit;
  const answer = await callApi(visit, `${rowUrl(visit)}/-/delete`, {});
  if (!answer.ok) return form(visit, answer.errors);
  return done(visit, "Row deleted", rowhouse.urls.table(target.database.name, target.table.name));
}

const requireDelete = (visit: RowVisit): Promise<void> =>
  requireWrite(visit, "delete-row", [visit.target.database.name, visit.target.table.name]);

const form = (visit: RowVisit, errors: readonly string[]): Promise<Reply> =>
  editPage(visit, {
    title: `Delete ${visit.target.table.name} ${visit.target.key.join(", ")}?`,
    fields: html`<p>The row is gone for good then. <a href="${rowUrl(visit)}">Look at it</a> first.</p>`,
    submit: "Delete row",
    isDangerous: true,
    errors,
    cancel: rowUrl(visit),
  });
