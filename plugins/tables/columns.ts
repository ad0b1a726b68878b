import { BadRequest } from "rowhouse/plugin-api";
import type { TableFacts } from "./table-facts.js";

/**
 * Columns to select: `_col` limits them (keys always come first, and once more when listed), `_nocol` then
 * takes some away.
 *
 * @throws BadRequest for columns the table doesn't have, and for keys in `_nocol`
 */
export function chooseColumns(facts: TableFacts, query: URLSearchParams): readonly string[] {
  const wanted = query.getAll("_col");
  const unwanted = query.getAll("_nocol");
  if (wanted.length === 0 && unwanted.length === 0) return facts.columns;
  refuse(
    "_col",
    wanted.filter((name) => !facts.names.has(name)),
  );
  const keys = new Set(facts.table.primaryKeys);
  refuse(
    "_nocol",
    unwanted.filter((name) => !facts.names.has(name) || keys.has(name)),
  );
  const rowid = facts.rowidShown ? ["rowid"] : [];
  const chosen = wanted.length === 0 ? facts.columns : [...rowid, ...keys, ...new Set(wanted)];
  return chosen.filter((name) => !unwanted.includes(name));
}

function refuse(argument: string, columns: readonly string[]): void {
  if (columns.length > 0) throw new BadRequest(`${argument}=${columns.join(", ")} - invalid columns`);
}
