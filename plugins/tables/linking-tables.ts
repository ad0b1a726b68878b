import { jsonText, type SqlInput, type Table, type Visit } from "rowhouse/plugin-api";
import { unlessInterrupted } from "rowhouse/plugin-api/errors";
import { equalsValue, hasColumn, isUntyped, type Dialect } from "rowhouse/plugin-api/engine";
import { filterArgument, formEncode, textOfBytes } from "rowhouse/plugin-api/http";
import { parseExactJson } from "rowhouse/plugin-api/json";
import type { LinkingTable, ReadableTable } from "rowhouse/plugin-api/contracts";
import { viewableByName } from "./labels.js";
import type { TableFacts } from "./table-facts.js";

type RowVisit = Visit<"row">;
type Params = Readonly<Record<string, SqlInput>>;

/** A foreign key of another table that references this one. */
interface IncomingKey {
  readonly other: ReadableTable;
  readonly column: string;
  readonly otherColumn: string;
}

/** A foreign key, and the value of the row that it references: of the primary key, or of another unique column. */
interface Reference extends IncomingKey {
  readonly value: SqlInput;
}

/**
 * Counts, by table, the rows that reference this row. Compound keys and tables that the actor may not view are left
 * out, as are keys that reference a null of the row. Empty if counting exceeds the time limit.
 */
export async function linkingTables(
  visit: RowVisit,
  facts: TableFacts,
  readable: ReadableTable,
): Promise<readonly LinkingTable[]> {
  if (visit.target.key.length !== 1) return [];
  const incoming = await visibleIncomingKeys(visit, facts.table);
  const references = await withValues(visit, facts, readable, incoming);
  if (references.length === 0) return [];
  const { dialect } = visit.target.database;
  const counts = references.map((reference, index) => {
    const { flattenable } = reference.other;
    return `(select count(*) from ${flattenable} where ${referencing(dialect, reference, `key${index}`)})`;
  });
  const keys = references.map(({ value }, index) => ({
    [`key${index}`]: value instanceof Uint8Array ? value : String(value),
  }));
  const params = Object.assign({}, ...keys, ...references.map(({ other }) => other.params)) as Params;
  const sql = `select ${counts.join(", ")}`;
  const found = await unlessInterrupted(visit.target.database.read(sql, params));
  if (found === null) return [];
  return references.map((reference, index) => ({
    other_table: reference.other.table.name,
    column: reference.column,
    other_column: reference.otherColumn,
    count: Number(found.rows[0]?.[index] ?? 0),
    link: linkTo(visit, reference),
  }));
}

/** Keys of paths may spell numbers in another way than the engine reads them: `1.0`. */
function referencing(dialect: Dialect, { other, otherColumn, value }: Reference, parameter: string): string {
  const column = { table: other.table, name: otherColumn };
  return value instanceof Uint8Array
    ? equalsValue(dialect, column, `:${parameter}`)
    : dialect.equalsKey(column, String(value), parameter);
}

/** The value of the primary key is that of the path. Only values of other columns are read. */
async function withValues(
  { target }: RowVisit,
  { keys, rowidShown, table }: TableFacts,
  { flattenable, params }: ReadableTable,
  incoming: readonly IncomingKey[],
): Promise<readonly Reference[]> {
  const [key = ""] = target.key;
  const [keyColumn = ""] = keys;
  const values = new Map<string, SqlInput>([[keyColumn, key]]);
  const others = [...new Set(incoming.map(({ column }) => column))].filter((column) => !values.has(column));
  if (others.length > 0) {
    const { database } = target;
    const { dialect } = database;
    const name = rowidShown ? (table.rowidName ?? keyColumn) : keyColumn;
    const where = dialect.equalsKey({ table, name }, key, "p0");
    const selected = others.map(dialect.publishedIdentifier).join(", ");
    const sql = `select ${selected} from ${flattenable} where ${where}${dialect.limit(1)}`;
    const { rows } = await database.read(sql, { p0: key, ...params });
    for (const [index, column] of others.entries()) values.set(column, rows[0]?.[index] ?? null);
  }
  return incoming
    .map((reference) => ({ ...reference, value: values.get(reference.column) ?? null }))
    .filter(({ value }) => value !== null);
}

async function visibleIncomingKeys(
  { rowhouse, actor, target }: RowVisit,
  table: Table,
): Promise<readonly IncomingKey[]> {
  const keys = table.incoming.filter(({ columns }) => columns.length === 1);
  const names = keys.map(({ otherTable }) => otherTable);
  const others = await viewableByName(rowhouse, { actor, database: target.database }, names);
  return keys.flatMap(({ columns, otherTable, otherColumns }) => {
    const other = others.get(otherTable) ?? null;
    const [column] = columns;
    const [otherColumn] = otherColumns;
    if (other === null || column === undefined || otherColumn === undefined) return [];
    return other.restricted && !hasColumn(other.table, otherColumn) ? [] : [{ other, column, otherColumn }];
  });
}

/**
 * The values that reference the row. As for foreign keys, an untyped column references it by the text or the number of its
 * key.
 */
function comparedValues({ other, otherColumn, value }: Reference): readonly SqlInput[] {
  if (value instanceof Uint8Array || !isUntyped(other.table, otherColumn)) return [value];
  const text = textOf(value);
  return JSON_NUMBER.test(text) ? [parseExactJson(text) as SqlInput, text] : [value];
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;

function linkTo({ rowhouse, target }: RowVisit, reference: Reference): string {
  const { other, otherColumn, value } = reference;
  const path = rowhouse.urls.table(target.database.name, other.table.name);
  const values = comparedValues(reference);
  const [argument, text] =
    values.length === 1
      ? [filterArgument(otherColumn), textOf(value)]
      : [`${otherColumn}__in`, jsonText(values)];
  // The contract publishes the column unencoded; only characters that would end or change the name are encoded.
  return `${path}?${argument.replace(/[%&+#=]/g, encodeURIComponent)}=${formEncode(text)}`;
}

const textOf = (value: SqlInput): string =>
  value instanceof Uint8Array ? textOfBytes(value) : String(value);
