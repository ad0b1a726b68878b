import {
  html,
  type Actor,
  type Database,
  type Html,
  type Reply,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import { wholeTables } from "rowhouse/plugin-api/access";
import { schemaJson, withMarkup } from "rowhouse/plugin-api/html";
import { editPage, type EditPage } from "../page.js";
import { tOf } from "../texts.js";
import { fieldOf, type TypedStatement } from "./statement.js";

type DatabaseVisit = Visit<"database">;

/** The page with the statement. */
export async function sqlForm(
  visit: DatabaseVisit,
  typed: TypedStatement,
  result: Pick<EditPage, "errors" | "notice" | "outcome" | "more"> = {},
): Promise<Reply> {
  const { rowhouse, actor, target } = visit;
  const t = tOf(visit);
  const schema = await completedTables(rowhouse, actor, target.database);
  return editPage(visit, {
    ...result,
    template: "write-sql.html",
    title: t("write_sql.title"),
    fields: html`
      <div class="field">
        <label for="sql">SQL</label>
        <p class="hint" id="sql-hint">${t("write_sql.hint")}</p>
        <div>
          <textarea
            id="sql"
            class="sql"
            name="sql"
            rows="${Math.min(20, Math.max(4, typed.sql.split("\n").length + 1))}"
            spellcheck="false"
            autocomplete="off"
            autocapitalize="off"
            aria-describedby="sql-hint"
            data-writes
            data-schema="${schema}"
          >
${typed.sql}</textarea>
        </div>
      </div>
      ${parameterFields(visit, typed)}
    `,
    submit: html`
      <button type="submit" name="action" value="try">${t("write_sql.try")}</button>
      <button type="submit" name="action" value="run" class="danger">${t("write_sql.run")}</button>
      <button type="button" class="quiet" data-format-sql hidden>${t("write_sql.format")}</button>
    `,
    cancel: rowhouse.urls.database(target.database.name),
  });
}

/** A script adds the fields of parameters while they are typed. */
function parameterFields(visit: DatabaseVisit, { values }: TypedStatement): Html {
  const t = tOf(visit);
  return html`<fieldset class="sql-parameters" ${values.size === 0 && "hidden"}>
    <legend>${t("write_sql.parameters")}</legend>
    <p class="hint">
      ${withMarkup(t("write_sql.values"), {
        number: html`<code>cast(:n as integer)</code>`,
        nothing: html`<code>nullif(:n, '')</code>`,
      })}
    </p>
    ${[...values].map(
      ([name, value]) =>
        html`<p class="parameter">
          <label for="${fieldOf(name)}" dir="auto">${name}</label>
          <input
            type="text"
            id="${fieldOf(name)}"
            name="${fieldOf(name)}"
            value="${value}"
            autocomplete="off"
            dir="auto"
          />
        </p>`,
    )}
  </fieldset>`;
}

/** The columns of the tables that a statement may use, as JSON: those of which the actor sees all rows and columns. */
async function completedTables(rowhouse: Rowhouse, actor: Actor | null, database: Database): Promise<string> {
  const tables = [...(await database.schema()).tables.values()].filter(({ kind }) => kind !== "shadow");
  const whole = await wholeTables(rowhouse, { actor, database }, tables);
  return schemaJson(new Map(whole.map(({ name, columns }) => [name, columns.map((column) => column.name)])));
}
