import { Forbidden, html, type Reply, type Visit } from "rowhouse/plugin-api";
import { rowPath } from "rowhouse/plugin-api/http";
import { readApi, writeRow } from "./api.js";
import { choicesOf } from "./choices.js";
import { typesOf } from "./column-types.js";
import { changesOf, fieldsMarkup, filledFields, typedFields, type Field } from "./fields.js";
import { done, editPage, formOf, requireWrite } from "./page.js";
import { referencesOf } from "./references.js";
import { undoButton } from "./undo.js";

type RowVisit = Visit<"row">;

interface Current {
  readonly fields: readonly Field[];
  readonly version: string;
}

/** The form with the values of a row. @throws Forbidden, RowNotFound */
export async function editRowForm(visit: RowVisit): Promise<Reply> {
  await requireUpdate(visit);
  const { fields, version } = await currentRow(visit);
  return form(visit, { fields, version }, []);
}

/** Writes the changed values, unless the row has changed meanwhile. @throws Forbidden, RowNotFound */
export async function editRowSubmit(visit: RowVisit): Promise<Reply> {
  await requireUpdate(visit);
  const submitted = await formOf(visit);
  const version = submitted.get("version") ?? "";
  const current = await currentRow(visit);
  const fields = typedFields(current.fields, submitted);
  if (current.version !== version)
    return form(visit, { fields, version: current.version }, [
      "Another user has changed this row. The fields contain your values; saving replaces theirs.",
    ]);
  const changes = changesOf(current.fields, fields);
  if (changes.size === 0) return done(visit, "Nothing was changed", rowUrl(visit));
  const { database, table, key } = visit.target;
  const place = { database: database.name, table: table.name };
  const members = { key, update: changes, if_match: version };
  const answer = await writeRow(visit, place, { op: "update", members });
  if (!answer.ok) return form(visit, { fields, version }, answer.errors);
  return done(visit, "Row saved", rowUrl(visit), undoButton(visit, place.database, answer, rowUrl(visit)));
}

const requireUpdate = (visit: RowVisit): Promise<void> =>
  requireWrite(visit, "update-row", [visit.target.database.name, visit.target.table.name]);

export const rowUrl = ({ rowhouse, target: { database, table, key } }: RowVisit): string =>
  rowhouse.urls.row(database.name, table.name, rowPath(key));

/** @throws Forbidden for actors that may write this row but not read it */
async function currentRow(visit: RowVisit): Promise<Current> {
  const { ok, document, reply } = await readApi(
    visit,
    `${rowUrl(visit)}.json?_shape=objects&_extras=version`,
  );
  if (!ok) throw new Forbidden("Permission denied: need view-table");
  const [row = {}] = document["rows"] as readonly Readonly<Record<string, unknown>>[];
  return { fields: filledFields(visit.target.table, row), version: String(reply.headers["etag"] ?? "") };
}

const form = async (
  visit: RowVisit,
  { fields, version }: Current,
  errors: readonly string[],
): Promise<Reply> =>
  editPage(visit, {
    title: `Edit ${visit.target.table.name} ${visit.target.key.join(", ")}`,
    fields: html`<input type="hidden" name="version" value="${version}" />
      ${fieldsMarkup({ fields, blanks: ["null", "empty"], types: await typesOf(visit), choices: choicesOf(visit.target.table), references: await referencesOf(visit, fields) })}`,
    submit: "Save",
    errors,
    cancel: rowUrl(visit),
  });
