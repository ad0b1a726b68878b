import { BadRequest, Forbidden, html, type Reply, type Visit } from "rowhouse/plugin-api";
import { shortText } from "rowhouse/plugin-api/html";
import { RowNotFound } from "rowhouse/plugin-api/errors";
import { rowPath } from "rowhouse/plugin-api/http";
import { columnTypesOf } from "rowhouse/plugin-api/metadata";
import { readApi, writeRow, type Answer, type RowWrite } from "./api.js";
import { choicesOf } from "./choices.js";
import { confirmedIn, doubtsOf, refusedDoubts } from "./doubts.js";
import { formErrors } from "./field-errors.js";
import { fieldsMarkup, isUntouched, NO_NOTES, type FieldNotes } from "./field-list.js";
import { changedFields, changesOf, filledFields, placesIn, typedFields, type Field } from "./fields.js";
import { done, editPage, requireWrite } from "./page.js";
import { referencesOf } from "./references.js";
import { undoButton } from "./undo.js";
import { tOf } from "./texts.js";

type RowVisit = Visit<"row">;

interface Current {
  readonly fields: readonly Field[];
  readonly version: string;
}

/** The form with the values of a row. @throws Forbidden, RowNotFound */
export async function editRowForm(visit: RowVisit): Promise<Reply> {
  await requireWrite(visit, "update-row");
  const current = await currentRow(visit);
  return form(visit, { current, fields: current.fields, errors: [], notes: NO_NOTES });
}

/** Writes the changed values, unless the row has changed meanwhile. @throws Forbidden, RowNotFound */
export async function editRowSubmit(visit: RowVisit): Promise<Reply> {
  await requireWrite(visit, "update-row");
  const submitted = await visit.request.form();
  const version = submitted.fields.get("version") ?? "";
  const current = await currentRow(visit);
  const fields = await typedFields(current.fields, submitted);
  if (current.version !== version) return conflict(visit, { current, fields }, submitted.fields);
  const changes = changesOf(current.fields, fields);
  if (changes.size === 0) return done(visit, tOf(visit)("edit.unchanged"), rowUrl(visit));
  const changed = changedFields(current.fields, fields);
  const checked = { fields: changed, references: await referencesOf(visit, fields) };
  const doubts = await doubtsOf(visit, checked, submitted.fields);
  const confirmed = confirmedIn(fields, submitted.fields);
  if (doubts.size > 0) {
    const errors = await refusedDoubts(visit, checked, doubts, (columns) =>
      updateOf(visit, current, new Map([...changes].filter(([name]) => !columns.has(name)))),
    );
    return form(visit, {
      current,
      fields,
      errors: [],
      notice: tOf(visit)("edit.doubtful"),
      notes: { ...NO_NOTES, doubts, confirmed, errors },
    });
  }
  return save(visit, { current, fields }, { changes, confirmed });
}

interface Submitted {
  readonly current: Current;
  readonly fields: readonly Field[];
}

async function save(
  visit: RowVisit,
  { current, fields }: Submitted,
  {
    changes: update,
    confirmed,
  }: { readonly changes: ReadonlyMap<string, unknown>; readonly confirmed: ReadonlySet<string> },
): Promise<Reply> {
  const answer = await writeRow(visit, updateOf(visit, current, update));
  if (answer.ok)
    return done(
      visit,
      tOf(visit)(isUnchanged(answer) ? "edit.unchanged" : "edit.row_saved"),
      urlAfter(visit, fields),
      await undoButton(visit, answer, rowUrl(visit)),
    );
  const { byColumn, others, notice } = formErrors(answer.errors, fields, tOf(visit));
  const notes = { ...NO_NOTES, confirmed, errors: byColumn };
  return form(visit, { current, fields, errors: others, notice, notes });
}

const updateOf = (
  { target: { key } }: RowVisit,
  { version }: Current,
  update: ReadonlyMap<string, unknown>,
): RowWrite => ({ op: "update", members: { key, update, if_match: version } });

/** True if a trigger kept the row as it was. */
function isUnchanged({ document }: Answer): boolean {
  const [result] = document["results"] as readonly { readonly row_count?: number }[];
  return result?.row_count === 0;
}

/** The address of the row with the key that was saved. */
function urlAfter(
  { rowhouse, target: { database, table, key } }: RowVisit,
  fields: readonly Field[],
): string {
  const keys = table.primaryKeys.map((name, index) => {
    const text = fields.find(({ column }) => column.name === name)?.text ?? null;
    return text === null || text === "" ? (key[index] ?? "") : text;
  });
  return rowhouse.urls.row(database.name, table.name, rowPath(keys.length > 0 ? keys : key));
}

/** Another client was faster: fields that were not touched take its values, others show both. */
function conflict(
  visit: RowVisit,
  { current, fields }: Submitted,
  submitted: URLSearchParams,
): Promise<Reply> {
  const theirs = new Map<string, string>();
  const places = placesIn(submitted, fields);
  const merged = fields.map((field, index) => {
    const now = current.fields[index] ?? field;
    const place = places[index] ?? -1;
    if (isUntouched(field, submitted, place)) return now;
    const isSame = now.text === field.text || isUntouched(now, submitted, place);
    if (!isSame && now.text !== null) theirs.set(field.column.name, now.text);
    return field;
  });
  const t = tOf(visit);
  const both = theirs.size === 0 ? "" : ` ${t("edit.conflict_both")}`;
  const notice = `${t("edit.conflict")}${both}`;
  return form(visit, { current, fields: merged, errors: [], notice, notes: { ...NO_NOTES, theirs } });
}

export const rowUrl = ({ rowhouse, target: { database, table, key } }: RowVisit): string =>
  rowhouse.urls.row(database.name, table.name, rowPath(key));

/** @throws RowNotFound; Forbidden for actors that may write this row but not read it; BadRequest for a row that is too long */
export async function currentRow(visit: RowVisit): Promise<Current> {
  const { ok, document, reply, errors } = await readApi(
    visit,
    `${rowUrl(visit)}.json?_shape=objects&_extras=version`,
  );
  if (reply.status === 404) throw new RowNotFound(String(document["error"]));
  if (reply.status === 403) throw new Forbidden("Permission denied: need view-table");
  if (!ok) throw new BadRequest(errors.join("; "));
  const [row = {}] = document["rows"] as readonly Readonly<Record<string, unknown>>[];
  const fields = filledFields(visit.target.table, row, visit.rowhouse.setting("max_post_body_bytes"));
  return { fields, version: String(reply.headers["etag"] ?? "") };
}

interface RowForm extends Submitted {
  readonly errors: readonly string[];
  readonly notice?: string | undefined;
  readonly notes: FieldNotes;
}

const LONGEST_NAME = 100;

/** The label of the row as its own page shows it; its table and key if it has none. */
export function nameOf(
  { rowhouse, target: { database, table, key } }: RowVisit,
  { fields }: Pick<Current, "fields">,
): string {
  const column = rowhouse.serviceIfAny("tables")?.labelColumn(database.name, table) ?? null;
  const refers = table.foreignKeys.some(({ columns }) => column !== null && columns.includes(column));
  const label = refers ? "" : (fields.find((field) => field.column.name === column)?.text ?? "").trim();
  if (label === "" || key.includes(label)) return `${table.name} ${key.join(", ")}`;
  return shortText(label, LONGEST_NAME);
}

const form = async (visit: RowVisit, { current, fields, errors, notice, notes }: RowForm): Promise<Reply> =>
  editPage(visit, {
    title: tOf(visit)("edit.edit_title", { row: nameOf(visit, current) }),
    fields: html`<input type="hidden" name="version" value="${current.version}" /> ${fieldsMarkup({
        t: tOf(visit),
        fields,
        blanks: ["null", "empty"],
        types: await columnTypesOf(visit, visit.target.database.name, visit.target.table.name),
        choices: choicesOf(visit.target.table),
        references: await referencesOf(visit, fields),
        notes,
        stored: { fields: current.fields, url: rowUrl(visit) },
      })}`,
    submit: tOf(visit)("edit.save"),
    errors,
    notice,
    hasFiles: fields.some(({ blob }) => blob !== undefined),
    cancel: rowUrl(visit),
  });
