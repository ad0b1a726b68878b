import { BadRequest, type SqlValue } from "rowhouse/plugin-api";
import type { FilterClause, Selection } from "rowhouse/plugin-api/contracts";
import { columnOf } from "rowhouse/plugin-api/engine";
import { bestInTime, selectMatching } from "./timed-reads.js";
import { patternOf, type Question } from "./typed-text.js";

/** A value of a column; of a foreign key with the label of the row to which it refers. */
export interface Match {
  readonly value: SqlValue;
  readonly label?: SqlValue;
}

/** Rows that are looked at if there is no time for all of them. */
const SAMPLE = 2000;

/** The distinct values of a column that match. @throws BadRequest for an unknown column */
export async function matchingValues(
  { visit, text, size }: Question,
  column: string,
): Promise<{ readonly values: readonly Match[]; readonly isComplete: boolean }> {
  const { dialect } = visit.target.database;
  const name = dialect.publishedIdentifier(column);
  const { where, params } = patternOf(dialect, name, text);
  const clause: FilterClause = { where, params, description: null };
  const known = columnOf(visit.target.table, column);
  if (known === undefined || known.hidden) throw new BadRequest(`column=${column} - invalid column`);
  const selection = await selectMatching(visit, text === "" ? [] : [clause]);
  const { fromWhere } = selection;
  // Bytes are left out, so they stay bytes.
  const value = known.affinity === "blob" ? name : dialect.comparable(name, known);
  const values = `select ${value} as v ${fromWhere}`;
  const distinct = (source: string): string =>
    `select distinct v from (${source}) as found where v is not null order by 1 limit ${size}`;
  const { rows, isComplete } = await bestInTime(visit, selection, {
    best: distinct(values),
    first: distinct(`${values} limit ${SAMPLE}`),
  });
  const found = rows.map(([value = null]) => value).filter((value) => !(value instanceof Uint8Array));
  return { values: await labelled(visit, selection, column, found), isComplete };
}

async function labelled(
  visit: Question["visit"],
  { database, table }: Selection,
  column: string,
  values: readonly SqlValue[],
): Promise<readonly Match[]> {
  const key = table.foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === column);
  if (key === undefined) return values.map((value) => ({ value }));
  const labels = await visit.rowhouse.service("tables").labels(visit.actor, database, {
    otherTable: key.otherTable,
    otherColumn: key.otherColumns[0] ?? "",
    values,
    request: visit.request,
  });
  return values.map((value) => ({ value, label: labels?.get(String(value)) ?? value }));
}
