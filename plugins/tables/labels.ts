import {
  type Actor,
  type Database,
  type Request,
  type Rowhouse,
  type SqlInput,
  type SqlValue,
  type Table,
} from "rowhouse/plugin-api";
import { unlessInterrupted } from "rowhouse/plugin-api/errors";
import { Exact, hasColumn, labelKey, paramsKey, Real } from "rowhouse/plugin-api/engine";
import { Labelled, type Cell } from "rowhouse/plugin-api/http";
import { withoutLastZeros } from "rowhouse/plugin-api/json";
import { switchedTo } from "rowhouse/plugin-api/kernel";
import type { ExpandableColumn, ReadableTable } from "rowhouse/plugin-api/contracts";
import { currentMetadata } from "rowhouse/plugin-api/metadata";
import { cached } from "./version-cache.js";

/** Labels by `labelKey` of the key. */
export type Labels = ReadonlyMap<string, SqlValue>;

/**
 * The column whose value names a row: the metadata's `label_column`; else the first column called `name` or `title`;
 * else, if the table has two columns and one is `id` or `pk`, the other one. Null if there is none, also if the
 * `label_column` does not exist or is hidden.
 */
export function labelColumn(rowhouse: Rowhouse, database: string, table: Table): string | null {
  const metadata = currentMetadata(rowhouse).table(database, table.name);
  const chosen = metadata["label_column"];
  // A mistake in the metadata, which is reported at the start, breaks no page.
  if (typeof chosen === "string" && chosen !== "") return hasColumn(table, chosen) ? chosen : null;
  const names = table.columns.map(({ name }) => name);
  const named = names.find((name) => ["name", "title"].includes(name.toLowerCase()));
  if (named !== undefined) return named;
  if (names.length !== 2 || !names.some(isKeyName)) return null;
  return names.find((name) => !isKeyName(name)) ?? null;
}

/** True if the table lacks this column or hides it. SQLite accepts foreign keys to columns that do not exist. */
const lacksColumn = (target: ReadableTable | null, column: string): boolean =>
  target !== null && !hasColumn(target.table, column);

const isKeyName = (name: string): boolean => name === "id" || name === "pk";

/** Foreign keys of one column, in declaration order (last declared first), whose target the actor may view. */
export async function expandableColumns(
  rowhouse: Rowhouse,
  actor: Actor | null,
  database: Database,
  table: Table,
): Promise<readonly ExpandableColumn[]> {
  const keys = table.foreignKeys.filter(({ columns }) => columns.length === 1);
  if (keys.length === 0) return [];
  const names = keys.map(({ otherTable }) => otherTable);
  const targets = await viewableByName(rowhouse, { actor, database }, names);
  return keys.flatMap(({ columns, otherTable, otherColumns }) => {
    const [column] = columns;
    const [otherColumn = ""] = otherColumns;
    const target = targets.get(otherTable);
    if (column === undefined || target === undefined || lacksColumn(target, otherColumn)) return [];
    const label = target === null ? null : labelColumn(rowhouse, database.name, target.table);
    return [{ column, otherTable, otherColumn, labelColumn: label }];
  });
}

/**
 * Those of the named tables that the actor may view, by name, with what of them the actor may read. Null for a table that
 * does not exist: foreign keys may name one.
 */
export async function viewableByName(
  rowhouse: Rowhouse,
  { actor, database }: Pick<LabelContext, "actor" | "database">,
  names: readonly string[],
): Promise<ReadonlyMap<string, ReadableTable | null>> {
  const rowAccess = rowhouse.service("rowAccess");
  const viewable = await rowAccess.viewable(actor, database, names);
  const { tables } = await database.schema();
  const existing = [...viewable].flatMap((name) => tables.get(name) ?? []);
  const readable = await rowAccess.readableMany(actor, database, existing);
  const byName = new Map(readable.map((one) => [one.table.name, one]));
  return new Map([...viewable].map((name) => [name, byName.get(name) ?? null]));
}

/** The columns to label: those that `_label` names; else all or none, by `_labels`. */
export function columnsToLabel(
  query: URLSearchParams,
  byDefault: boolean,
  expandable: readonly ExpandableColumn[],
): readonly ExpandableColumn[] {
  const named = query.getAll("_label");
  if (named.length > 0) return expandable.filter(({ column }) => named.includes(column));
  const isOn = switchedTo(query.get("_labels") ?? "") ?? byDefault;
  return isOn ? expandable : [];
}

export interface LabelContext {
  readonly rowhouse: Rowhouse;
  readonly actor: Actor | null;
  readonly database: Database;
  /** Labels are cached only if the request is known. */
  readonly request: Request | null;
}

/**
 * Labels of the rows of `otherTable` that these key values reference. If the table has no label column, every value
 * except NULL is its own label. Empty if the lookup exceeds the time limit.
 */
export async function lookUpLabels(
  context: LabelContext,
  otherTable: string,
  otherColumn: string,
  values: readonly SqlValue[],
): Promise<Labels> {
  const { rowhouse, actor, database, request } = context;
  const wanted = new Map(values.flatMap((value) => (value === null ? [] : [[labelKey(value), value]])));
  if (wanted.size === 0) return new Map();
  const target = (await database.schema()).tables.get(otherTable);
  const readable =
    target === undefined
      ? undefined
      : (await rowhouse.service("rowAccess").readableMany(actor, database, [target]))[0];
  const label = readable === undefined ? null : labelColumn(rowhouse, database.name, readable.table);
  if (readable === undefined || label === null || lacksColumn(readable, otherColumn))
    return new Map([...wanted].map(([key, value]) => [key, String(value)]));
  const keys = [...wanted.values()];
  const params: Record<string, SqlInput> = { ...readable.params };
  keys.forEach((value, index) => (params[`k${index}`] = value));
  const { publishedIdentifier, comparedColumn, comparedValue } = database.dialect;
  const column = { table: readable.table, name: otherColumn };
  const names = keys.map((_, index) => comparedValue(column, `:k${index}`)).join(", ");
  const selected = [otherColumn, label].map(publishedIdentifier).join(", ");
  const sql = `select ${selected} from ${readable.flattenable} where ${comparedColumn(column)} in (${names})`;
  const read = (): Promise<Labels | null> => readLabels(rowhouse, database, sql, params);
  const found = await (request === null
    ? read()
    : cached(request, { database, table: readable.table }, `${sql} ${paramsKey(params)}`, read));
  return found === null ? new Map() : labelsOfKeys(wanted, found);
}

/** The labels by the values that reference the rows. */
const labelsOfKeys = (wanted: ReadonlyMap<string, SqlValue>, found: Labels): Labels =>
  new Map(
    [...wanted].flatMap(([key, value]) => {
      const label = found.get(numberKey(value));
      return label === undefined ? [] : [[key, label]];
    }),
  );

/** Equal numbers have the same key: a column of REALs may reference integers. */
function numberKey(value: SqlValue): string {
  // All digits count: the nearest double of two keys may be the same.
  if (value instanceof Exact) return withoutZeros(value.text);
  return value instanceof Real && Number.isInteger(value.value)
    ? String(BigInt(value.value))
    : labelKey(value);
}

/** The number without zeros at the end of its decimals. */
function withoutZeros(number: string): string {
  return /^-?\d*\.\d+$/.test(number) ? withoutLastZeros(number).replace(/\.$/, "") : number;
}

async function readLabels(
  rowhouse: Rowhouse,
  database: Database,
  sql: string,
  params: Readonly<Record<string, SqlInput>>,
): Promise<Labels | null> {
  const timeLimitMs = rowhouse.setting("sql_time_limit_ms");
  const found = await unlessInterrupted(
    database.read(sql, params, { timeLimitMs, columns: ["key", "label"] }),
  );
  return found && new Map(found.rows.map(([key, label]) => [numberKey(key ?? null), label ?? null]));
}

type Rows = readonly (readonly SqlValue[])[];

/** Replaces values of these columns by labelled values. Values without a label stay unchanged. */
export async function labelRows(
  context: LabelContext,
  columns: readonly string[],
  rows: Rows,
  labelled: readonly ExpandableColumn[],
): Promise<readonly (readonly Cell[])[]> {
  const found = await Promise.all(
    labelled.map(async ({ column, otherTable, otherColumn }) => {
      const place = columns.indexOf(column);
      const values = rows.map((row) => row[place] ?? null);
      return [column, await lookUpLabels(context, otherTable, otherColumn, values)] as const;
    }),
  );
  const byColumn = new Map(found);
  const labels = columns.map((column) => byColumn.get(column));
  return rows.map((row) => row.map((value, place) => labelledCell(value, labels[place])));
}

function labelledCell(value: SqlValue, labels: Labels | undefined): Cell {
  if (value === null || labels === undefined) return value;
  const label = labels.get(labelKey(value));
  return label === undefined ? value : new Labelled(value, label);
}
