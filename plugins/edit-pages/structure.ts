import { html, type Column, type Html, type Reply, type Visit } from "rowhouse/plugin-api";
import { callApi } from "./api.js";
import { done, editPage, formOf, requireWrite } from "./page.js";

type TableVisit = Visit<"table">;

interface Operation {
  readonly op: string;
  readonly args: Readonly<Record<string, unknown>>;
}

const TYPES = ["text", "integer", "float", "blob"] as const;

/** The form with the columns of a table. @throws Forbidden */
export async function structureForm(visit: TableVisit): Promise<Reply> {
  await requireAlter(visit);
  return form(visit, []);
}

/** @throws Forbidden */
export async function structureSubmit(visit: TableVisit): Promise<Reply> {
  await requireAlter(visit);
  const { rowhouse, target } = visit;
  const { database, table } = target;
  const submitted = await formOf(visit);
  const operations = operationsOf(table.columns, submitted, table.name);
  const name = submitted.get("rename")?.trim() || table.name;
  if (operations.length === 0)
    return done(visit, "Nothing was changed", rowhouse.urls.table(database.name, name));
  const path = `${rowhouse.urls.table(database.name, table.name)}/-/alter`;
  const answer = await callApi(visit, path, { operations });
  return answer.ok
    ? done(visit, "Table changed", rowhouse.urls.table(database.name, name))
    : form(visit, answer.errors);
}

/**
 * Columns are dropped and added before others are renamed, so that a new name may be that of a dropped column.
 */
function operationsOf(columns: readonly Column[], submitted: URLSearchParams, table: string): Operation[] {
  const dropped: Operation[] = [];
  const retyped: Operation[] = [];
  const renamed: Operation[] = [];
  for (const [index, { name }] of columns.entries()) {
    const to = submitted.get(`name${index}`)?.trim() || name;
    const type = submitted.get(`type${index}`) ?? "";
    if (submitted.has(`drop${index}`)) {
      dropped.push({ op: "drop_column", args: { name } });
      continue;
    }
    if (type !== "") retyped.push({ op: "alter_column", args: { name, type } });
    if (to !== name) renamed.push({ op: "rename_column", args: { name, to } });
  }
  return [...dropped, ...retyped, ...renamed, ...addedIn(submitted), ...renameIn(submitted, table)];
}

const addedIn = (submitted: URLSearchParams): Operation[] =>
  submitted.getAll("column").flatMap((raw, index) => {
    const name = raw.trim();
    const type = submitted.getAll("type")[index] ?? "text";
    return name === "" ? [] : [{ op: "add_column", args: { name, type } }];
  });

function renameIn(submitted: URLSearchParams, table: string): Operation[] {
  const to = submitted.get("rename")?.trim() || table;
  return to === table ? [] : [{ op: "rename_table", args: { to } }];
}

const requireAlter = (visit: TableVisit): Promise<void> =>
  requireWrite(visit, "alter-table", [visit.target.database.name, visit.target.table.name]);

async function form(visit: TableVisit, errors: readonly string[]): Promise<Reply> {
  const { rowhouse, actor, target } = visit;
  const { database, table } = target;
  const url = rowhouse.urls.table(database.name, table.name);
  const mayDrop = await rowhouse.permissions.allowed(actor, "drop-table", [database.name, table.name]);
  return editPage(visit, {
    title: `Structure of ${table.name}`,
    fields: html`
      <p class="field">
        <label for="rename">Table</label>
        <input type="text" id="rename" name="rename" value="${table.name}" required />
      </p>
      <fieldset>
        <legend>Columns</legend>
        ${table.columns.map(existingColumn)}
      </fieldset>
      <fieldset data-more="Another column">
        <legend>New columns</legend>
        ${newColumn}
      </fieldset>
    `,
    submit: "Change table",
    errors,
    cancel: url,
    ...(mayDrop && {
      more: html`<p><a class="danger button" href="${url}/-/remove">Drop this table…</a></p>`,
    }),
  });
}

const existingColumn = ({ name, type, hidden, generated }: Column, index: number): Html | null =>
  hidden || generated !== "no"
    ? null
    : html`<p class="edit-column">
        <input type="text" name="name${index}" value="${name}" aria-label="Name of ${name}" dir="auto" />
        <select name="type${index}" aria-label="Type of ${name}">
          <option value="">${type === "" ? "no type" : type}</option>
          ${TYPES.filter((one) => one !== type.toLowerCase()).map((one) => html`<option value="${one}">→ ${one}</option>`)}
        </select>
        <label><input type="checkbox" name="drop${index}" /> drop</label>
      </p>`;

const newColumn = html`<p class="edit-column">
  <input type="text" name="column" aria-label="New column" placeholder="column" />
  <select name="type" aria-label="Type of the new column">
    ${TYPES.map((one) => html`<option>${one}</option>`)}
  </select>
</p>`;
