import { html, type Html, type Reply, type Visit } from "rowhouse/plugin-api";
import { callApi } from "./api.js";
import { done, editPage, formOf, requireWrite } from "./page.js";

type DatabaseVisit = Visit<"database">;

const TYPES = ["text", "integer", "float", "blob"] as const;
/** Rows of the form. A script adds more. */
const SHOWN = 5;

interface NewColumn {
  readonly name: string;
  readonly type: string;
}

interface Asked {
  readonly table: string;
  readonly columns: readonly NewColumn[];
  readonly pk: string;
}

const NOTHING: Asked = { table: "", columns: [{ name: "id", type: "integer" }], pk: "id" };

/** @throws Forbidden */
export async function newTableForm(visit: DatabaseVisit): Promise<Reply> {
  await requireCreate(visit);
  return form(visit, NOTHING, []);
}

/** @throws Forbidden */
export async function newTableSubmit(visit: DatabaseVisit): Promise<Reply> {
  await requireCreate(visit);
  const { rowhouse, target } = visit;
  const asked = askedIn(await formOf(visit));
  const body = { table: asked.table, columns: asked.columns, ...(asked.pk !== "" && { pk: asked.pk }) };
  const answer = await callApi(visit, `${rowhouse.urls.database(target.database.name)}/-/create`, body);
  if (!answer.ok) return form(visit, asked, answer.errors);
  const table = String(answer.document["table"]);
  return done(visit, `Table ${table} created`, rowhouse.urls.table(target.database.name, table));
}

function askedIn(submitted: URLSearchParams): Asked {
  const types = submitted.getAll("type");
  const columns = submitted
    .getAll("column")
    .map((name, index) => ({ name: name.trim(), type: types[index] ?? "text" }))
    .filter(({ name }) => name !== "");
  return {
    table: (submitted.get("table") ?? "").trim(),
    columns,
    pk: (submitted.get("pk") ?? "").trim(),
  };
}

const requireCreate = (visit: DatabaseVisit): Promise<void> =>
  requireWrite(visit, "create-table", visit.target.database.name);

function form(visit: DatabaseVisit, asked: Asked, errors: readonly string[]): Promise<Reply> {
  const { name } = visit.target.database;
  const empty = Array.from({ length: Math.max(1, SHOWN - asked.columns.length) }, () => ({
    name: "",
    type: "text",
  }));
  return editPage(visit, {
    title: `New table in ${name}`,
    fields: html`
      <p class="field">
        <label for="table">Name</label>
        <input type="text" id="table" name="table" value="${asked.table}" required />
      </p>
      <fieldset data-more="Another column">
        <legend>Columns</legend>
        ${[...asked.columns, ...empty].map(columnRow)}
      </fieldset>
      <p class="field">
        <label for="pk">Primary key</label> <input type="text" id="pk" name="pk" value="${asked.pk}" />
        <span class="hint">One of the columns. Without one, a hidden number identifies each row.</span>
      </p>
    `,
    submit: "Create table",
    errors,
    cancel: visit.rowhouse.urls.database(name),
  });
}

const columnRow = ({ name, type }: NewColumn): Html => html`
  <p class="edit-column">
    <input type="text" name="column" value="${name}" aria-label="Column" placeholder="column" />
    <select name="type" aria-label="Type">
      ${TYPES.map((one) => html`<option ${one === type && "selected"}>${one}</option>`)}
    </select>
  </p>
`;
