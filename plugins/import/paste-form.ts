import { csrfField, html, type Html, type Visit } from "rowhouse/plugin-api";
import type { TableFacts } from "./facts.js";

/** What was filled in. */
export interface Pasted {
  readonly text: string;
  readonly conflict: string;
  readonly alter: boolean;
}

const CONFLICTS = [
  ["", "Stop, and import nothing"],
  ["ignore", "Leave the row that is there"],
  ["replace", "Replace the row"],
  ["upsert", "Change the columns that are named"],
] as const;

/** The form for browsers without scripts. */
export const pasteForm = ({ rowhouse, request }: Visit, pasted: Pasted, table: TableFacts): Html => html`
  <form class="panel edit-form" method="post" action="${rowhouse.urls.path(request.path)}">
    ${csrfField({ rowhouse, request })}
    <div class="field">
      <label for="text">CSV, its first line the names of columns</label>
      <textarea id="text" name="text" rows="8" class="code" spellcheck="false">
${`\n${pasted.text}`}</textarea>
    </div>
    <p class="field">
      <label for="conflict">When a row with that key is there already</label>
      <select id="conflict" name="conflict">
        ${CONFLICTS.filter(([name]) => table.mayUpdate || name === "" || name === "ignore").map(
          ([name, text]) =>
            html`<option value="${name}" ${name === pasted.conflict && "selected"}>${text}</option>`,
        )}
      </select>
    </p>
    ${
      table.mayAlter &&
      html`<p>
        <label
          ><input type="checkbox" name="alter" ${pasted.alter && "checked"} /> Add columns that are
          missing</label
        >
      </p>`
    }
    <p class="buttons">
      <button type="submit">Import</button>
      <a href="${table.url}">Cancel</a>
    </p>
  </form>
`;
