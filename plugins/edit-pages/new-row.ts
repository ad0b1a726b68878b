import { rowPath } from "rowhouse/plugin-api/http";
import type { Reply, Visit } from "rowhouse/plugin-api";
import { callApi, readApi } from "./api.js";
import { fieldText } from "./cell-text.js";
import { choicesOf } from "./choices.js";
import { typesOf } from "./column-types.js";
import { emptyFields, fieldsMarkup, rowOf, typedFields, type Field } from "./fields.js";
import { done, editPage, formOf, requireWrite } from "./page.js";
import { referencesOf } from "./references.js";

type TableVisit = Visit<"table">;

/** The form for a new row; with `?from=<row path>` it begins with the values of that row. @throws Forbidden */
export async function newRowForm(visit: TableVisit): Promise<Reply> {
  await requireInsert(visit);
  const from = visit.request.query.get("from");
  const isRowPath = from !== null && /^[\w~+,-]+$/.test(from);
  return form(visit, isRowPath ? await copiedFields(visit, from) : emptyFields(visit.target.table), []);
}

/** The values of another row without its key; empty fields if the actor may not view it. */
async function copiedFields(visit: TableVisit, path: string): Promise<readonly Field[]> {
  const { rowhouse, target } = visit;
  const { database, table } = target;
  const address = rowhouse.urls.row(database.name, table.name, path);
  const { ok, document } = await readApi(visit, `${address}.json?_shape=objects`);
  const [row = {}] = ok ? (document["rows"] as readonly Readonly<Record<string, unknown>>[]) : [];
  return emptyFields(table).map((field) => {
    const { name, primaryKeyPosition } = field.column;
    const text = primaryKeyPosition > 0 ? "" : fieldText(row[name]);
    return { ...field, text: text ?? "" };
  });
}

/** @throws Forbidden */
export async function newRowSubmit(visit: TableVisit): Promise<Reply> {
  await requireInsert(visit);
  const { rowhouse, target } = visit;
  const { database, table } = target;
  const fields = typedFields(emptyFields(table), await formOf(visit));
  const path = `${rowhouse.urls.table(database.name, table.name)}/-/insert`;
  const answer = await callApi(visit, path, { row: rowOf(fields), return: true });
  if (!answer.ok) return form(visit, fields, answer.errors);
  return done(visit, "Row added", placeOf(visit, answer.document["rows"]));
}

/** The address that shows the new row: its page, or the page of its table. */
function placeOf({ rowhouse, target: { database, table } }: TableVisit, rows: unknown): string {
  const [row] = rows as readonly Readonly<Record<string, unknown>>[];
  const key = table.primaryKeys.map((name) => fieldText(row?.[name]));
  const isWhole = key.length > 0 && key.every((part) => part !== null && part !== "");
  return isWhole
    ? rowhouse.urls.row(database.name, table.name, rowPath(key as string[]))
    : rowhouse.urls.table(database.name, table.name);
}

const requireInsert = (visit: TableVisit): Promise<void> =>
  requireWrite(visit, "insert-row", [visit.target.database.name, visit.target.table.name]);

const form = async (visit: TableVisit, fields: readonly Field[], errors: readonly string[]): Promise<Reply> =>
  editPage(visit, {
    title: `New row in ${visit.target.table.name}`,
    fields: fieldsMarkup({
      fields,
      blanks: ["default", "null", "empty"],
      types: await typesOf(visit),
      choices: choicesOf(visit.target.table),
      references: await referencesOf(visit, fields),
    }),
    submit: "Add row",
    errors,
    cancel: visit.rowhouse.urls.table(visit.target.database.name, visit.target.table.name),
  });
