import { csrfField, html, type Html, type Visit } from "rowhouse/plugin-api";
import type { Translator } from "rowhouse/plugin-api/html";
import { tableChecks, type TableCheck } from "rowhouse/plugin-api/sql";
import { callApi } from "../api.js";
import { foldName } from "rowhouse/plugin-api/names";
import { choicesOf } from "../choices.js";
import { tOf } from "../texts.js";
import type { Submitted } from "./indexes.js";
import type { Operation } from "./operations.js";

type TableVisit = Visit<"table">;

/** The conditions that rows must meet, each with a form that changes or drops it, and a form for a new one. */
export function checkForms(visit: TableVisit): Html {
  const t = tOf(visit);
  const checks = shownChecks(visit);
  return html`
    <section class="panel">
      <h2>${t("structure.checks")}</h2>
      ${checks.length === 0 && html`<p class="hint">${t("structure.about_checks")} <code>price &gt;= 0</code>.</p>`}
      ${checks.map((check) => checkMarkup(visit, check))}
      <form class="check-form" method="post">
        ${csrfField(visit)} <input type="hidden" name="part" value="new-check" />
        <input
          type="text"
          name="expression"
          aria-label="${t("structure.new_check")}"
          required
          autocomplete="off"
          spellcheck="false"
        />
        <button type="submit" class="quiet">${t("structure.add_check")}</button>
      </form>
    </section>
  `;
}

/** Without the lists of values, which columns have as a field. */
function shownChecks({ target: { table } }: TableVisit): readonly TableCheck[] {
  const listed = [...choicesOf(table).keys()].map(foldName);
  const isList = ({ expression }: TableCheck): boolean =>
    listed.some((name) => expression.toLowerCase().replaceAll('"', "").startsWith(`${name} in (`));
  return tableChecks(table.sql ?? "").filter((check) => !isList(check));
}

function checkMarkup(visit: TableVisit, { name, expression }: TableCheck): Html {
  const t = tOf(visit);
  return html`
    <form class="check-form" method="post">
      ${csrfField(visit)} <input type="hidden" name="old" value="${expression}" />
      <input type="hidden" name="check" value="${name ?? ""}" />
      <input
        type="text"
        name="expression"
        value="${expression}"
        aria-label="${t("structure.check_of", { name: name ?? expression })}"
        required
        autocomplete="off"
        spellcheck="false"
        dir="auto"
      />
      <button type="submit" class="quiet" name="part" value="change-check">
        ${t("structure.change_check")}
      </button>
      <button
        type="submit"
        class="quiet"
        name="part"
        value="drop-check"
        formnovalidate
        aria-label="${t("structure.drop_check", { name: name ?? expression })}"
      >
        ${t("structure.drop")}
      </button>
    </form>
  `;
}

/** Adds, changes or drops a check. */
export async function submitCheck(visit: TableVisit, submitted: URLSearchParams): Promise<Submitted> {
  const { rowhouse, target } = visit;
  const text = (field: string): string => submitted.get(field)?.trim() ?? "";
  const part = submitted.getAll("part").at(-1) ?? "";
  const name = text("check");
  const named = name === "" ? {} : { name };
  const drop: Operation = { op: "drop_check", args: name === "" ? { expression: text("old") } : named };
  const add: Operation = { op: "add_check", args: { expression: text("expression"), ...named } };
  const operations = part === "new-check" ? [add] : part === "drop-check" ? [drop] : [drop, add];
  const url = rowhouse.urls.table(target.database.name, target.table.name);
  const answer = await callApi(visit, `${url}/-/alter`, { operations });
  return { answer, message: doneText(tOf(visit), part) };
}

function doneText(t: Translator["t"], part: string): string {
  if (part === "new-check") return t("structure.check_added");
  return part === "drop-check" ? t("structure.check_dropped") : t("structure.check_changed");
}

/** A field for the checks of a new table, one on each line. */
export const newChecksField = (t: Translator["t"], text: string): Html => html`
  <p class="field">
    <label for="checks">${t("structure.checks")}</label>
    <textarea id="checks" name="checks" rows="2" spellcheck="false" dir="auto" aria-describedby="checks-hint">
${text}</textarea>
    <span class="hint" id="checks-hint">${t("structure.checks_hint")} <code>price &gt;= 0</code></span>
  </p>
`;

/** The member `checks` of a request that creates a table. */
export function checksIn(text: string): readonly { readonly expression: string }[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").map((expression) => ({ expression }));
}
