import {
  BadRequest,
  isObject,
  type Actor,
  type Database,
  type Request,
  type Rowhouse,
  type SqlInput,
  type Table,
} from "rowhouse/plugin-api";
import { isRowid, type Dialect } from "rowhouse/plugin-api/engine";
import { SqlFailed } from "rowhouse/plugin-api/errors";
import { parseExactJson } from "rowhouse/plugin-api/json";
import { isSameName } from "rowhouse/plugin-api/names";
import type { FilterClause } from "rowhouse/plugin-api/contracts";

interface FilterRequest {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly database: Database;
  readonly table: Table;
}

/** `{"table", "column", "value"}`: selects rows that are referenced by a row of `table` whose `column` is `value`. */
interface Through {
  readonly table: string;
  readonly column: string;
  readonly value: SqlInput;
}

/**
 * Conditions for `_through` arguments. A table that the actor may not view is treated as missing.
 *
 * @throws BadRequest if an argument can't be parsed, or its table has no foreign key to this one
 */
export async function throughClauses(
  rowhouse: Rowhouse,
  page: FilterRequest,
): Promise<readonly FilterClause[]> {
  const texts = page.request.query.getAll("_through");
  return Promise.all(
    texts.map(async (text): Promise<FilterClause> => ({
      ...(await throughClause(rowhouse, page, readThrough(text))),
      argument: ["_through", text],
    })),
  );
}

function readThrough(text: string): Through {
  const parsed = parsedOrNull(text);
  if (parsed === null) throw new BadRequest("Invalid _through - it must be a JSON object");
  const { table, column, value } = parsed;
  if (typeof table !== "string" || typeof column !== "string" || !isInput(value)) {
    throw new BadRequest("Invalid _through - it must have the keys table, column and value");
  }
  return { table, column, value };
}

function parsedOrNull(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value = parseExactJson(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isInput = (value: unknown): value is SqlInput =>
  value === null ||
  ["string", "number", "bigint", "boolean"].includes(typeof value) ||
  (typeof value === "object" && typeof value.valueOf() === "number");

async function throughClause(
  rowhouse: Rowhouse,
  { actor, database, table }: FilterRequest,
  through: Through,
): Promise<FilterClause> {
  const rowAccess = rowhouse.service("rowAccess");
  const named = (await database.schema()).tables.get(through.table);
  const [source] = named === undefined ? [] : await rowAccess.describable(actor, database, [named]);
  const other = source?.table;
  const allowed = await rowAccess.viewable(actor, database, [through.table]);
  const key = other?.foreignKeys.find(
    ({ columns, otherTable }) => columns.length === 1 && otherTable === table.name,
  );
  const ownColumn = key?.otherColumns[0] ?? table.primaryKeys[0];
  const foreignKey = key?.columns[0];
  if (
    source === undefined ||
    other === undefined ||
    ownColumn === undefined ||
    foreignKey === undefined ||
    !allowed.has(other.name)
  ) {
    throw new BadRequest("Invalid _through - could not find corresponding foreign key");
  }
  // In the subquery, the name of a column that only the selected table has would be this column.
  const isKnown = other.columns.some(({ name }) => isSameName(name, through.column));
  if (!isKnown && (source.restricted || !isRowid(other, through.column)))
    throw new SqlFailed(`no such column: ${through.column}`, "other");
  const { publishedIdentifier } = database.dialect;
  const where = (rows: string, condition: string): string =>
    `${publishedIdentifier(ownColumn)} in (select ${publishedIdentifier(foreignKey)} from ${rows} where ${condition})`;
  const equals = `${publishedIdentifier(through.column)} = :p0`;
  return {
    // Pages show this form: the rules of the other table may name hidden columns.
    where: where(publishedIdentifier(other.name), equals),
    executedWhere: where(source.flattenable, exactCondition(database.dialect, other, through) ?? equals),
    leakproof: [ownColumn],
    params: { p0: through.value },
    executedParams: source.params,
    description: `${through.table}.${through.column} = "${String(through.value)}"`,
  };
}

/** Compares a text with a column of numbers as the number that it spells; null for other values and unknown columns. */
function exactCondition(
  { equalsKey }: Dialect,
  table: Table,
  { column: name, value }: Through,
): string | null {
  const isKnown = table.columns.some((column) => column.name === name);
  return isKnown && typeof value === "string" ? equalsKey({ table, name }, value, "p0") : null;
}
