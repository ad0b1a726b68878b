import type { SqlValue, Visit } from "rowhouse/plugin-api";
import { QueryInterrupted, SqlFailed } from "rowhouse/plugin-api/errors";
import { readOptionsOf } from "rowhouse/plugin-api/sql";
import type { FilterClause, Selection } from "rowhouse/plugin-api/contracts";

type Rows = readonly (readonly SqlValue[])[];

/**
 * Reads over a selection; null if the time limit is exceeded. What was typed may be no value of a column: `2024-` is no
 * date. It matches nothing then.
 */
export async function readInTime(
  { rowhouse, request }: Visit<"table">,
  selection: Selection,
  sql: string,
): Promise<Rows | null> {
  const most = rowhouse.setting("sql_time_limit_ms");
  try {
    const { rows } = await selection.database.read(sql, selection.params, {
      timeLimitMs: Math.min(rowhouse.setting("autocomplete_time_limit_ms"), most),
      signal: request.signal,
      ...readOptionsOf(selection),
    });
    return rows;
  } catch (error) {
    if (error instanceof QueryInterrupted && !request.signal.aborted) return null;
    if (error instanceof SqlFailed && error.kind === "value") return [];
    throw error;
  }
}

/** Matches, and whether the best of all are among them: false if there was no time to look at every row. */
export interface Matches {
  readonly rows: Rows;
  readonly isComplete: boolean;
}

/**
 * The best matches; else, if there is no time to compare all of them, the first that are found, which takes no time if
 * there are many; else none.
 */
export async function bestInTime(
  visit: Visit<"table">,
  selection: Selection,
  { best, first }: { readonly best: string; readonly first: string },
): Promise<Matches> {
  const found = await readInTime(visit, selection, best);
  if (found !== null) return { rows: found, isComplete: true };
  return { rows: (await readInTime(visit, selection, first)) ?? [], isComplete: false };
}

/** The arguments that are not filters here. A column of such a name is filtered by `q__exact`. */
const OWN_ARGUMENTS = ["q", "column"];

/** The rows that the filters of the request select, and these conditions. */
export async function selectMatching(
  visit: Visit<"table">,
  further: readonly FilterClause[],
): Promise<Selection> {
  const options = { further, ownArguments: OWN_ARGUMENTS };
  return (await visit.rowhouse.service("tables").select(visit, options)).selection;
}
