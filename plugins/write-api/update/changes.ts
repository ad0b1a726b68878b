import { WriteRejected, type Request } from "rowhouse/plugin-api";
import type { JsonObject } from "rowhouse/plugin-api/json";
import { foldName } from "rowhouse/plugin-api/names";
import {
  formsOf,
  isObject,
  requireFewColumns,
  rowValuesInSlices,
  type RowValues,
  type StoredIn,
} from "../json/cell-values.js";
import { inferColumns, type NewColumn } from "../rows/new-columns.js";
import { writableColumns } from "../rows/rows-request.js";

/** The changes of an update. */
export interface Changes {
  /** New values by column, in the spelling of the table. */
  readonly values: RowValues;
  /** Columns to add to the table. */
  readonly newColumns: readonly NewColumn[];
}

/** Parses the member `update` of a body. @throws WriteRejected also for columns that the table lacks */
export async function parseChanges(
  request: Pick<Request, "signal">,
  document: JsonObject,
  storedIn: StoredIn,
): Promise<RowValues> {
  const { values, newColumns } = await parseChangesWithNewColumns(request, document, storedIn);
  const [missing] = newColumns;
  if (missing !== undefined) throw new WriteRejected([noSuchColumn(missing.name)]);
  return values;
}

/** The same for a request with `alter`, which adds missing columns. @throws WriteRejected */
export async function parseChangesWithNewColumns(
  request: Pick<Request, "signal">,
  document: JsonObject,
  storedIn: StoredIn,
): Promise<Changes> {
  const update = document.get("update");
  if (!isObject(update)) throw new WriteRejected(["JSON must contain an update dictionary"]);
  requireFewColumns(update.size);
  const own = ownSpelling(writableColumns(storedIn.table));
  const added = [...update].filter(([name]) => own(name) === undefined);
  const [values = new Map()] = await rowValuesInSlices([update], request, formsOf(storedIn));
  return {
    values: new Map([...values].map(([name, value]) => [own(name) ?? name, value])),
    newColumns: inferColumns([new Map(added)]),
  };
}

/** The column with a name, else one whose name differs in case only: PostgreSQL may have `id` and `ID` in one table. */
export function ownSpelling(
  columns: readonly { readonly name: string }[],
): (name: string) => string | undefined {
  const names = new Set(columns.map(({ name }) => name));
  const others = new Map(columns.map(({ name }) => [foldName(name), name]));
  return (name) => (names.has(name) ? name : others.get(foldName(name)));
}

const noSuchColumn = (name: string): string =>
  /[[\]]/.test(name) ? "'[' and ']' cannot be used in column names" : `no such column: ${name}`;
