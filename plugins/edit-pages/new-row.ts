import { rowPath } from "rowhouse/plugin-api/http";
import type { Reply, Visit } from "rowhouse/plugin-api";
import { columnTypesOf } from "rowhouse/plugin-api/metadata";
import { readApi, writeRow, type RowWrite } from "./api.js";
import { fieldText } from "./cell-text.js";
import { choicesOf } from "./choices.js";
import { confirmedIn, doubtsOf, refusedDoubts } from "./doubts.js";
import { formErrors, type FormErrors } from "./field-errors.js";
import { fieldsMarkup, NO_NOTES, type FieldNotes } from "./field-list.js";
import { TextLimit } from "./text-limit.js";
import { emptyFields, rowOf, typedFields, type Field } from "./fields.js";
import { done, editPage, requireWrite } from "./page.js";
import { referencesOf } from "./references.js";
import { undoButton } from "./undo.js";
import { tOf } from "./texts.js";

type TableVisit = Visit<"table">;

/** The form for a new row; with `?from=<row path>` it begins with the values of that row. @throws Forbidden */
export async function newRowForm(visit: TableVisit): Promise<Reply> {
  await requireWrite(visit, "insert-row");
  const from = visit.request.query.get("from");
  const isRowPath = from !== null && /^[\w~+,-]+$/.test(from);
  const fields = isRowPath ? await copiedFields(visit, from) : emptyFields(visit.target.table);
  return form(visit, fields, NOTHING_WRONG);
}

/** The values of another row without its key; empty fields if the actor may not view it. */
async function copiedFields(visit: TableVisit, path: string): Promise<readonly Field[]> {
  const { rowhouse, target } = visit;
  const { database, table } = target;
  const address = rowhouse.urls.row(database.name, table.name, path);
  const { ok, document } = await readApi(visit, `${address}.json?_shape=objects`);
  const [row = {}] = ok ? (document["rows"] as readonly Readonly<Record<string, unknown>>[]) : [];
  const limit = new TextLimit(rowhouse.setting("max_post_body_bytes"));
  return emptyFields(table).map((field) => {
    const { name, primaryKeyPosition } = field.column;
    if (field.text === null || primaryKeyPosition > 0) return field;
    const value = row[name];
    const blank = value === null ? "null" : value === "" ? "empty" : field.blank;
    return { ...field, text: limit.fitting(fieldText(value)) ?? "", blank };
  });
}

/** @throws Forbidden */
export async function newRowSubmit(visit: TableVisit): Promise<Reply> {
  await requireWrite(visit, "insert-row");
  const { rowhouse, target } = visit;
  const { database, table } = target;
  const submitted = await visit.request.form();
  const fields = await typedFields(emptyFields(table), submitted);
  const checked = { fields, references: await referencesOf(visit, fields) };
  const doubts = await doubtsOf(visit, checked, submitted.fields);
  const confirmed = confirmedIn(fields, submitted.fields);
  if (doubts.size > 0) {
    const byColumn = await refusedDoubts(visit, checked, doubts, (columns) =>
      insertOf(fields.filter(({ column }) => !columns.has(column.name))),
    );
    const notice = tOf(visit)("edit.doubtful");
    return form(visit, fields, { ...NOTHING_WRONG, notice, byColumn, doubts, confirmed });
  }
  const answer = await writeRow(visit, insertOf(fields));
  if (!answer.ok)
    return form(visit, fields, { ...formErrors(answer.errors, fields, tOf(visit)), doubts, confirmed });
  const [result] = answer.document["results"] as readonly Result[];
  const tableUrl = rowhouse.urls.table(database.name, table.name);
  if (result?.row_count === 0) return done(visit, tOf(visit)("edit.no_row_added"), tableUrl);
  // A trigger removed it again, or the table, such as a search index, reads its rows from another one.
  if (result?.rows?.length === 0) return done(visit, tOf(visit)("edit.row_not_shown"), tableUrl);
  const undo = await undoButton(visit, answer, tableUrl);
  return done(visit, tOf(visit)("edit.row_added"), placeOf(visit, result?.rows), undo);
}

interface Result {
  readonly row_count?: number;
  readonly rows?: readonly Readonly<Record<string, unknown>>[];
}

const insertOf = (fields: readonly Field[]): RowWrite => ({ op: "insert", members: { row: rowOf(fields) } });

/** The address that shows the new row: its page, or the page of its table. */
function placeOf({ rowhouse, target: { database, table } }: TableVisit, rows: Result["rows"]): string {
  const [row] = rows ?? [];
  const key = table.primaryKeys.map((name) => fieldText(row?.[name]));
  const isWhole = key.length > 0 && key.every((part) => part !== null && part !== "");
  return isWhole
    ? rowhouse.urls.row(database.name, table.name, rowPath(key as string[]))
    : rowhouse.urls.table(database.name, table.name);
}

interface Wrong extends FormErrors {
  readonly doubts: FieldNotes["doubts"];
  readonly confirmed: FieldNotes["confirmed"];
}

const NOTHING_WRONG: Wrong = {
  byColumn: new Map(),
  others: [],
  notice: undefined,
  doubts: new Map(),
  confirmed: new Set(),
};

const form = async (
  visit: TableVisit,
  fields: readonly Field[],
  { byColumn, others, notice, doubts, confirmed }: Wrong,
): Promise<Reply> =>
  editPage(visit, {
    title: tOf(visit)("edit.new_row_in", { table: visit.target.table.name }),
    fields: fieldsMarkup({
      t: tOf(visit),
      fields,
      blanks: ["default", "null", "empty"],
      types: await columnTypesOf(visit, visit.target.database.name, visit.target.table.name),
      choices: choicesOf(visit.target.table),
      references: await referencesOf(visit, fields),
      notes: { ...NO_NOTES, doubts, confirmed, errors: byColumn },
      stored: null,
    }),
    submit: tOf(visit)("edit.add_row"),
    errors: others,
    notice,
    hasFiles: fields.some(({ blob }) => blob !== undefined),
    cancel: visit.rowhouse.urls.table(visit.target.database.name, visit.target.table.name),
  });
