import {
  csrfField,
  html,
  pageReply,
  type Column,
  type Html,
  type Reply,
  type Visit,
} from "rowhouse/plugin-api";
import { editable } from "./editable.js";

export const COLUMN_TYPES = ["text", "integer", "real", "blob"] as const;

/** The columns of a table, each with a form that renames it, and a form that adds one. */
export async function schemaPage(visit: Visit<"table">): Promise<Reply> {
  const { rowhouse } = visit;
  const { database, table } = await editable(visit);
  const back = rowhouse.urls.table(database.name, table.name);
  return pageReply(visit, {
    template: "edit-schema.html",
    title: `Edit schema of ${table.name}`,
    content: html`
      <p><a href="${back}">Back to ${table.name}</a></p>
      <table>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Type</th>
            <th scope="col">New name</th>
          </tr>
        </thead>
        <tbody>
          ${table.columns.map((column) => columnRow(visit, column))}
        </tbody>
      </table>
      ${additionForm(visit)}
    `,
  });
}

const columnRow = (visit: Visit, { name, type }: Column): Html => html`
  <tr>
    <th scope="row">${name}</th>
    <td>${type}</td>
    <td>
      <form method="post">
        ${csrfField(visit)}
        <input type="hidden" name="operation" value="rename" />
        <input type="hidden" name="column" value="${name}" />
        <input name="name" value="${name}" aria-label="New name of ${name}" required />
        <button>Rename</button>
      </form>
    </td>
  </tr>
`;

const additionForm = (visit: Visit): Html => html`
  <h2>Add a column</h2>
  <form method="post">
    ${csrfField(visit)}
    <input type="hidden" name="operation" value="add" />
    <label>Name <input name="name" required /></label>
    <label>
      Type
      <select name="type">
        ${COLUMN_TYPES.map((type) => html`<option>${type}</option>`)}
      </select>
    </label>
    <button>Add</button>
  </form>
`;
