import { createHash } from "node:crypto";
import { html, type Reply, type Visit } from "rowhouse/plugin-api";
import { columnTypesOf } from "rowhouse/plugin-api/metadata";
import { callApi, type Answer } from "../api.js";
import { done, editPage, formOf, requireWrite } from "../page.js";
import { writableColumns } from "../fields.js";
import { emptyLine, linesIn, linesOf, typedText, type ColumnLine } from "./column-line.js";
import { columnOffers, columnTable } from "./column-table.js";
import { checkForms, submitCheck } from "./checks.js";
import { indexForms, submitIndex, type Submitted } from "./indexes.js";
import { columnHints } from "./new-table.js";
import { addedLines, operationsOf, type Edit } from "./operations.js";
import { searchForm, submitSearch } from "./search.js";
import { tOf } from "../texts.js";

type TableVisit = Visit<"table">;

/** Lines for new columns. A script adds more. */
const NEW_LINES = 2;

/** The form with the columns of a table. @throws Forbidden */
export async function structureForm(visit: TableVisit): Promise<Reply> {
  await requireWrite(visit, "alter-table");
  return form(visit, null, []);
}

/** @throws Forbidden */
export async function structureSubmit(visit: TableVisit): Promise<Reply> {
  await requireWrite(visit, "alter-table");
  const submitted = await formOf(visit);
  const part = submitted.get("part") ?? "columns";
  if (part === "columns") return submitColumns(visit, submitted);
  const { answer, message } = await submitPart(visit, part, submitted);
  const here = `${tableUrl(visit, visit.target.table.name)}/-/structure`;
  return answer.ok ? done(visit, message, here) : form(visit, null, answer.errors);
}

function submitPart(visit: TableVisit, part: string, submitted: URLSearchParams): Promise<Submitted> {
  if (part === "search") return submitSearch(visit, submitted);
  return part.endsWith("-check") ? submitCheck(visit, submitted) : submitIndex(visit, submitted);
}

async function submitColumns(visit: TableVisit, submitted: URLSearchParams): Promise<Reply> {
  const { table, database } = visit.target;
  const before = await linesBefore(visit);
  const version = submitted.get("version");
  if (version !== null && version !== versionOf(visit, before))
    return form(visit, null, [tOf(visit)("structure.changed_meanwhile")]);
  const after = linesIn(submitted, before);
  const rename = typedText(submitted.get("rename"), table.name) || table.name;
  const types = writableColumns(table).map(({ type }) => type);
  const edit: Edit = { before, after, types, table: table.name, rename };
  const operations = operationsOf(edit, database.dialect.definitions.defaults);
  const asked = { lines: after, rename };
  if (operations.length > 0) {
    const answer = await callApi(visit, `${tableUrl(visit, table.name)}/-/alter`, { operations });
    if (!answer.ok) return form(visit, asked, answer.errors);
  }
  const refusal = await setTypes(visit, edit);
  if (refusal !== null) return form(visit, asked, refusal.errors);
  const isSame =
    operations.length === 0 && after.every(({ holds }, index) => holds === (before[index]?.holds ?? ""));
  return done(
    visit,
    tOf(visit)(isSame ? "edit.unchanged" : "structure.table_changed"),
    tableUrl(visit, rename),
  );
}

/** Sets the column types that were chosen. @returns the first refusal */
async function setTypes(visit: TableVisit, edit: Edit): Promise<Answer | null> {
  const changed = edit.before
    .map((old, index) => ({ old, now: edit.after[index] ?? old }))
    .filter(({ old, now }) => !now.isDropped && old.holds !== now.holds)
    .map(({ now }) => now);
  for (const { name, holds } of [...changed, ...addedLines(edit).filter((line) => line.holds !== "")]) {
    const answer = await callApi(visit, `${tableUrl(visit, edit.rename)}/-/set-column-type`, {
      column: name,
      column_type: holds === "" ? null : { type: holds },
    });
    if (!answer.ok) return answer;
  }
  return null;
}

const tableUrl = ({ rowhouse, target }: TableVisit, name: string): string =>
  rowhouse.urls.table(target.database.name, name);

/** A reference to a table that the actor may not view is left out: the page has a digest of the lines. */
async function linesBefore(visit: TableVisit): Promise<readonly ColumnLine[]> {
  const { rowhouse, actor, target } = visit;
  const { database, table, source } = target;
  const { defaults } = database.dialect.definitions;
  const shown = await rowhouse.serviceIfAny("rowAccess")?.describe(actor, database, source);
  const { foreignKeys } = shown?.table ?? table;
  return linesOf(
    { ...table, foreignKeys },
    { defaults, types: await columnTypesOf(visit, database.name, table.name) },
  );
}

/** Lines belong to columns by their place, so those of a form are about other columns after a change. */
const versionOf = ({ target: { table } }: TableVisit, lines: readonly ColumnLine[]): string => {
  const facts = [writableColumns(table).map(({ type }) => type), lines];
  return createHash("sha256").update(JSON.stringify(facts)).digest("base64url");
};

interface Asked {
  readonly lines: readonly ColumnLine[];
  readonly rename: string;
}

async function form(visit: TableVisit, asked: Asked | null, errors: readonly string[]): Promise<Reply> {
  const { rowhouse, actor, target } = visit;
  const { database, table } = target;
  const url = tableUrl(visit, table.name);
  const mayDrop = await rowhouse.permissions.allowed(actor, "drop-table", [database.name, table.name]);
  const offers = await columnOffers(visit, database);
  const { t } = offers;
  const types = writableColumns(table).map(({ type }) => type);
  const before = await linesBefore(visit);
  const lines = asked?.lines ?? [...before, ...Array.from({ length: NEW_LINES }, () => emptyLine)];
  return editPage(visit, {
    title: t("structure.title", { table: table.name }),
    fields: html`
      <input type="hidden" name="version" value="${versionOf(visit, before)}" />
      <p class="field short">
        <label for="rename">${t("structure.table")}</label>
        <input
          type="text"
          id="rename"
          name="rename"
          value="${asked?.rename ?? table.name}"
          required
          dir="auto"
        />
      </p>
      ${columnTable(lines, types, offers)} ${columnHints(t)}
    `,
    submit: t("structure.change_table"),
    errors,
    cancel: url,
    more: html`
      ${offers.isReader && html`${checkForms(visit)} ${indexForms(visit)} ${await searchForm(visit)}`}
      ${mayDrop && html`<p><a class="danger button" href="${url}/-/remove">${t("structure.drop_this")}</a></p>`}
    `,
  });
}
