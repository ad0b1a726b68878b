import { BadRequest, type Request, type SqlValue } from "rowhouse/plugin-api";
import { Exact } from "rowhouse/plugin-api/engine";
import type { FilterClause, SelectedTable } from "rowhouse/plugin-api/contracts";
import { tildeEncode, type Pair } from "rowhouse/plugin-api/http";
import { readGroup, type Group } from "./arguments.js";
import { groupSql } from "./statement.js";

/** Selects the rows of a group: `date(added,month):2024-03`; those without a date are `date(added,month)`. */
export const IN_GROUP = "_in_group";

/** The argument that selects the rows of a group of dates or intervals; null if no text leads back to its value. */
export function inGroup(group: Group, value: SqlValue): Pair | null {
  if (value instanceof Uint8Array || (typeof value !== "string" && !isFinite(Number(value)))) return null;
  const term = `${group.width === null ? "date" : "interval"}(${tildeEncode(group.column)},${group.step ?? group.width})`;
  return [IN_GROUP, value === null ? term : `${term}:${String(value)}`];
}

/** Its SQL is ten times as long as the argument, and is read several times. */
const MOST_GROUPS = 100;

/** The conditions of `_in_group`. @throws BadRequest for a group that does not exist, and for too many */
export function groupClauses(request: Request, selected: SelectedTable): readonly FilterClause[] {
  const texts = request.query.getAll(IN_GROUP);
  if (texts.length > MOST_GROUPS)
    throw new BadRequest(`At most ${MOST_GROUPS} ${IN_GROUP} are allowed, not ${texts.length}`);
  return texts.map((text) => ({ ...groupClause(text, selected), argument: [IN_GROUP, text] }));
}

function groupClause(text: string, selected: SelectedTable): FilterClause {
  const [, term, value] = /^((?:date|interval)\([^()]*\))(?::(.*))?$/s.exec(text) ?? [];
  if (term === undefined)
    throw new BadRequest(
      `${IN_GROUP}=${text} - use ${IN_GROUP}=date(column,step):value or ${IN_GROUP}=interval(column,width):value`,
    );
  const group = readGroup(term, selected.table, IN_GROUP);
  const sql = groupSql(selected, group);
  if (value === undefined)
    return { where: `${sql} is null`, params: {}, description: `${group.name} is null` };
  const bound = group.width === null ? value : numberOf(value);
  return { where: `${sql} = :p0`, params: { p0: bound }, description: `${group.name} = "${value}"` };
}

function numberOf(text: string): Exclude<SqlValue, null> {
  const exact = /^-?\d{1,19}$/.test(text) ? BigInt(text) : null;
  if (exact !== null && BigInt.asIntN(64, exact) === exact) return exact;
  // A double would round the digits that decimal numbers have in PostgreSQL.
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return new Exact(text);
  if (text.trim() !== "" && isFinite(Number(text))) return Number(text);
  throw new BadRequest(`${IN_GROUP}: ${text} is not a number`);
}
