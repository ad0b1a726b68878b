import { csrfField, html, type Html, type Visit } from "rowhouse/plugin-api";
import type { TableFacts } from "./client/page-facts.js";
import { tOf } from "./texts.js";

/** What was filled in. */
export interface Pasted {
  readonly text: string;
  readonly conflict: string;
  readonly alter: boolean;
}

const CONFLICTS = [
  ["", "import.stop"],
  ["ignore", "import.ignore"],
  ["replace", "import.replace"],
  ["upsert", "import.upsert"],
] as const;

/** The form for browsers without scripts. */
export function pasteForm(visit: Visit, pasted: Pasted, table: TableFacts): Html {
  const { rowhouse, request } = visit;
  const t = tOf(visit);
  return html`
    <form class="panel edit-form" method="post" action="${rowhouse.urls.path(request.path)}">
      ${csrfField(visit)}
      <div class="field">
        <label for="text">${t("import.csv")}</label>
        <textarea id="text" name="text" rows="8" class="code" spellcheck="false">
${`\n${pasted.text}`}</textarea>
      </div>
      <p class="field">
        <label for="conflict">${t("import.conflict")}</label>
        <select id="conflict" name="conflict">
          ${CONFLICTS.filter(([name]) => table.mayUpdate || name === "" || name === "ignore").map(
            ([name, text]) =>
              html`<option value="${name}" ${name === pasted.conflict && "selected"}>${t(text)}</option>`,
          )}
        </select>
      </p>
      ${
        table.mayAlter &&
        html`<p>
          <label
            ><input type="checkbox" name="alter" ${pasted.alter && "checked"} /> ${t("import.alter")}</label
          >
        </p>`
      }
      <p class="buttons">
        <button type="submit">${t("import.import")}</button>
        <a href="${table.url}">${t("import.cancel")}</a>
      </p>
    </form>
  `;
}
