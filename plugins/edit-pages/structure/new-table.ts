import { html, type Html, type Reply, type Visit } from "rowhouse/plugin-api";
import { callApi } from "../api.js";
import { done, editPage, formOf, requireWrite } from "../page.js";
import { checksIn, newChecksField } from "./checks.js";
import { emptyLine, linesIn, type ColumnLine } from "./column-line.js";
import { columnOffers, columnTable } from "./column-table.js";
import { newColumnArguments } from "./operations.js";
import { tOf } from "../texts.js";
import type { Translator } from "rowhouse/plugin-api/html";

type DatabaseVisit = Visit<"database">;

/** Lines of the form. A script adds more. */
const SHOWN = 5;

interface Asked {
  readonly table: string;
  readonly lines: readonly ColumnLine[];
  readonly checks: string;
}

const NOTHING: Asked = {
  table: "",
  lines: [{ ...emptyLine, name: "id", type: "integer", isKey: true }],
  checks: "",
};

/** @throws Forbidden */
export async function newTableForm(visit: DatabaseVisit): Promise<Reply> {
  await requireWrite(visit, "create-table");
  return form(visit, NOTHING, []);
}

/** @throws Forbidden */
export async function newTableSubmit(visit: DatabaseVisit): Promise<Reply> {
  await requireWrite(visit, "create-table");
  const { rowhouse, target } = visit;
  const submitted = await formOf(visit);
  const asked = {
    table: submitted.get("table")?.trim() ?? "",
    lines: linesIn(submitted),
    checks: submitted.get("checks") ?? "",
  };
  const named = asked.lines.filter(({ name }) => name !== "");
  const keys = named.filter(({ isKey }) => isKey).map(({ name }) => name);
  const { defaults } = target.database.dialect.definitions;
  const body = {
    table: asked.table,
    columns: named.map((line) => ({
      ...newColumnArguments(line, defaults),
      ...(line.holds !== "" && { column_type: line.holds }),
    })),
    checks: checksIn(asked.checks),
    ...(keys.length === 1 && { pk: keys[0] }),
    ...(keys.length > 1 && { pks: keys }),
  };
  const answer = await callApi(visit, `${rowhouse.urls.database(target.database.name)}/-/create`, body);
  if (!answer.ok) return form(visit, asked, answer.errors);
  const table = String(answer.document["table"]);
  return done(
    visit,
    tOf(visit)("structure.table_created", { table }),
    rowhouse.urls.table(target.database.name, table),
  );
}

async function form(visit: DatabaseVisit, asked: Asked, errors: readonly string[]): Promise<Reply> {
  const t = tOf(visit);
  const { database } = visit.target;
  const url = visit.rowhouse.urls.database(database.name);
  const offers = await columnOffers(visit, database);
  const blank = Array.from({ length: Math.max(0, SHOWN - asked.lines.length) }, () => emptyLine);
  const canImport = visit.rowhouse.routes.some(({ name }) => name === "import-table");
  return editPage(visit, {
    title: t("structure.new_table_in", { database: database.name }),
    fields: html`
      ${
        canImport &&
        html`<p class="hint">
          ${t("structure.rows_at_hand")}
          <a href="${url}/-/import">${t("structure.make_of_file")}</a>${t("structure.types_found")}
        </p>`
      }
      <p class="field short">
        <label for="table">${t("structure.name")}</label>
        <input
          type="text"
          id="table"
          name="table"
          value="${asked.table}"
          required
          dir="auto"
          ${asked.table === "" && "autofocus"}
        />
      </p>
      ${columnTable([...asked.lines, ...blank], [], offers)} ${columnHints(t)}
      ${newChecksField(t, asked.checks)}
    `,
    submit: t("structure.create_table"),
    errors,
    cancel: url,
  });
}

/** What the fields of a column take. */
export const columnHints = (t: Translator["t"]): Html => html`
  <p class="hint">
    ${t("structure.hints")} ${t("structure.a_default")} <code>''</code> ${t("structure.empty_text")}
    <code>current_date</code>.
  </p>
`;
