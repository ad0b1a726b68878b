import { quoteIdentifier, type Column, type SqlInput, type Table } from "rowhouse/plugin-api";
import type { ColumnOf, PackedRows, RowsInsert, RowsUpsert } from "rowhouse/plugin-api/engine";
import { declared, keyParameter } from "./filters.js";
import { nameList } from "./identifiers.js";
import { columnFamily, valueType, withoutLength } from "./types.js";

/** Rows of a JSON array, in their order. `jsonb` finds a cell by its number; `json` would be parsed again for each. */
export function packedRows({ table, columns, kinds, parameter }: PackedRows): string {
  const cells = columns.map((name, index) => {
    const text = `(value ->> ${index})`;
    const column = declared({ table, name });
    if (kinds[index] !== "b") return converted(text, column);
    return `case when jsonb_typeof(value -> ${index}) = 'array' then decode(value -> ${index} ->> 0, 'hex') else ${converted(text, column)} end`;
  });
  const rows = `jsonb_array_elements(cast(${parameter} as jsonb)) with ordinality as packed(value, place)`;
  return `select ${cells.join(", ")} from ${rows}`;
}

/** A text as a value of the column. */
function converted(text: string, column: Column | undefined): string {
  if (column === undefined) return text;
  const type = `as ${column.type}`;
  switch (columnFamily(column)) {
    case "text":
      return comparedAs(text, withoutLength(valueType(column)));
    case "integer":
      return `cast(case when ${text} like '%.0' then left(${text}, -2) else ${text} end ${type})`;
    case "numeric":
    case "float":
      return `cast(case when ${text} in ('9e999', '-9e999') then replace(${text}, '9e999', 'Infinity') else ${text} end ${type})`;
    case "array":
      return arrayOf(text, column.type);
    case "enum":
      // Values of a domain can't be compared with each other. The assignment to the column checks them.
      return `cast(${text} as ${valueType(column)})`;
    case "bytes":
      return `convert_to(${text}, 'UTF8')`;
    default:
      // Cut to its length by the assignment, which fails for other lengths. A cast cuts and pads bits.
      return `cast(${text} as ${withoutLength(column.type)})`;
  }
}

/** These types take texts as equal that differ, but not in a comparison with `text`. */
const comparedAs = (text: string, type: string): string =>
  type === "bpchar" || type === "citext" ? `cast(${text} as ${type})` : text;

/**
 * A JSON list, or a list of lists, as array. Text in the form of PostgreSQL stays as it is: `{a,b}`, `[0:1]={a,b}`.
 */
const arrayOf = (text: string, type: string): string =>
  `case when ${text} is null or ${text} not like '[%' or ${text} ~ '^\\[[^,"{]*=' then cast(${text} as ${type}) ` +
  `when jsonb_typeof(cast(${text} as jsonb) -> 0) = 'array' then cast((select array_agg(${ELEMENTS}) ` +
  `from jsonb_array_elements(cast(${text} as jsonb)) as lists(list)) as ${type}) ` +
  `else cast((select ${ELEMENTS} from (select cast(${text} as jsonb)) as lists(list)) as ${type}) end`;

const ELEMENTS = "array(select jsonb_array_elements_text(list))";

/** A bound value, whose type PostgreSQL infers from the column. A text for bytes is its UTF-8: `\x41` is not the letter A. */
export function storedValue(column: ColumnOf, parameter: string, value: SqlInput): string {
  const found = declared(column);
  // In a column of another type, the server would read bytes as its own binary form of a value: four bytes as an integer.
  if (value instanceof Uint8Array) return `cast(${parameter} as bytea)`;
  if (found !== undefined && columnFamily(found) === "bytes") return `convert_to(${parameter}, 'UTF8')`;
  if (
    found !== undefined &&
    columnFamily(found) === "integer" &&
    typeof value === "string" &&
    value.endsWith(".0")
  )
    return `cast(left(${parameter}, -2) as ${found.type})`;
  return boundArray(found, parameter) ?? parameter;
}

/** A bound value that is compared with the column. */
export const comparedValue = (column: ColumnOf, placeholder: string): string =>
  boundArray(declared(column), placeholder) ?? keyParameter(column, placeholder);

/** Null for columns of other types. */
function boundArray(column: Column | undefined, parameter: string): string | null {
  if (column === undefined || columnFamily(column) !== "array") return null;
  // The parameter occurs once, because it may be a question mark.
  return `(select ${arrayOf("v", column.type)} from (select cast(${parameter} as text) as v) as sent)`;
}

export function insertRows({ table, columns, select, conflict, returning }: RowsInsert): string {
  const rows = select === null ? "default values" : sentRows(table, columns, select);
  return (
    `insert into ${quoteIdentifier(table.name)} ${rows}${conflictClause(table, columns, conflict)}` +
    (returning.length === 0 ? "" : ` returning ${nameList(returning)}`)
  );
}

/** Sent values also go into identity columns that are GENERATED ALWAYS, so that a row keeps its key. */
function sentRows(table: Table, columns: readonly string[], select: string): string {
  const isAssigned = columns.some((name) => declared({ table, name })?.isAssigned === true);
  return `(${nameList(columns)})${isAssigned ? " overriding system value" : ""} ${select}`;
}

/** REPLACE of SQLite deletes the stored row: columns that were not sent get their default. */
function conflictClause(table: Table, sent: readonly string[], conflict: RowsInsert["conflict"]): string {
  if (conflict === "fail") return "";
  if (conflict === "ignore" || table.primaryKeys.length === 0)
    return conflict === "ignore" ? " on conflict do nothing" : "";
  const changes = table.columns
    .filter(({ name, generated }) => generated === "no" && !table.primaryKeys.includes(name))
    .map(
      ({ name }) =>
        `${quoteIdentifier(name)} = ${sent.includes(name) ? `excluded.${quoteIdentifier(name)}` : "default"}`,
    );
  const action = changes.length === 0 ? "nothing" : `update set ${changes.join(", ")}`;
  return ` on conflict (${nameList(table.primaryKeys)}) do ${action}`;
}

/** A statement can update a row only once: it fails for two rows with the same key. */
export function upsertRows({ table, columns, select, keys, repeatedKeys }: RowsUpsert): string {
  const changes = columns
    .filter((column) => !keys.includes(column))
    .map((column) => `${quoteIdentifier(column)} = excluded.${quoteIdentifier(column)}`);
  const action = changes.length === 0 ? "nothing" : `update set ${changes.join(", ")}`;
  const rows = repeatedKeys === "fail" ? select : lastOfEachKey(columns, select, keys);
  return `insert into ${quoteIdentifier(table.name)} ${sentRows(table, columns, rows)} on conflict (${nameList(keys)}) do ${action}`;
}

function lastOfEachKey(columns: readonly string[], select: string, keys: readonly string[]): string {
  const rows = select.replace("select ", "select place, ");
  const last = `select distinct on (${nameList(keys)}) * from (${rows}) as sent("place of the row", ${nameList(columns)}) order by ${nameList(keys)}, "place of the row" desc`;
  return `select ${nameList(columns)} from (${last}) as last`;
}
