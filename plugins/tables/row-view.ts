import {
  QueryInterrupted,
  RowNotFound,
  formEncode,
  publishedAttribution,
  publishedIdentifier,
  quoteIdentifier,
  rowPath,
  valueNotation,
} from "rowhouse/plugin-api";
import type {
  Cell,
  ExpandableColumn,
  LinkingTable,
  MetadataBlock,
  Page,
  RowContext,
  RowSet,
  SqlInput,
  SqlValue,
  Visit,
} from "rowhouse/plugin-api";
import { columnFacts } from "./columns-context.js";
import { columnsToLabel, expandableColumns, labelRows } from "./labels.js";
import { readable } from "./scope.js";
import type { Readable } from "./scope.js";
import { tableFacts } from "./table-facts.js";
import type { TableFacts } from "./table-facts.js";
import { viewable } from "./viewable.js";

type RowVisit = Visit<"row">;
type Params = Readonly<Record<string, SqlInput>>;

/** @throws RowNotFound naming the key */
export const rowNotFound = (key: readonly string[]): RowNotFound =>
  new RowNotFound(`Row not found: ${valueNotation(key)}`);

/**
 * One row of a table.
 *
 * @throws RowNotFound
 */
export async function rowView(visit: RowVisit): Promise<Page> {
  const started = performance.now();
  const { rowhouse, request, actor, target, wants } = visit;
  const scoped = await readable(rowhouse, actor, target.database, target.table);
  const facts = tableFacts(scoped.table);
  const metadata = rowhouse.serviceIfAny("metadata")?.current();
  const block = metadata?.table(target.database.name, target.table.name) ?? {};
  const expandable = await expandableColumns(rowhouse, actor, target.database, scoped.table);
  const labelled = wants.labels ? columnsToLabel(request.query, true, expandable) : [];
  const rows = await readRow(visit, facts, scoped, labelled);
  const asksLinks = (request.query.get("_extras") ?? "").split(",").includes("foreign_key_tables");
  const links = asksLinks || visit.format === "html" ? await linkingTables(visit, facts) : [];
  const document = {
    database: target.database.name,
    table: target.table.name,
    rows: [],
    columns: rows.columns,
    primary_keys: facts.keys,
    primary_key_values: target.key,
    units: block["units"] ?? {},
    ...(asksLinks && { foreign_key_tables: links }),
    query_ms: performance.now() - started,
    ...publishedAttribution(metadata?.document ?? {}),
  };
  return { name: "row", data: document, rows, context: { ...rowContext(visit, facts, block, links, expandable) } };
}

async function readRow(
  visit: RowVisit,
  facts: TableFacts,
  scoped: Readable,
  labelled: readonly ExpandableColumn[],
): Promise<RowSet> {
  const { wants, target, request } = visit;
  const { sql, params, columns } = rowStatement(facts, scoped, target.key);
  const options = { columns, signal: request.signal };
  const set = { columns, keys: facts.keys, paths: [rowPath(target.key)] };
  if (wants.rows === "arrays" || wants.rows === "objects") {
    const shape = wants.rows;
    const result = await target.database.readJson(sql, params, { ...options, shape, infinity: wants.infinity });
    if (result.rows.length === 0) throw rowNotFound(target.key);
    return { ...set, json: result.rows, cells: null };
  }
  const { rows } = await target.database.read(sql, params, options);
  if (rows.length === 0) throw rowNotFound(target.key);
  return { ...set, json: null, cells: await labelledRow(visit, columns, rows, labelled) };
}

const labelledRow = async (
  { rowhouse, actor, target, request }: RowVisit,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
  labelled: readonly ExpandableColumn[],
): Promise<readonly (readonly Cell[])[]> =>
  labelled.length === 0
    ? rows
    : labelRows({ rowhouse, actor, database: target.database, request }, columns, rows, labelled);

/** Every part of the key is bound as text; the columns' affinity does the rest. */
function rowStatement(facts: TableFacts, { source, params }: Readable, key: readonly string[]) {
  const { table } = facts;
  const own = table.columns.filter(({ hidden }) => !hidden).map(({ name }) => name);
  const columns = facts.rowidShown ? ["rowid", ...own] : own;
  const selected = [
    ...(facts.rowidShown ? [table.rowidName ?? "rowid"] : []),
    ...own.map(publishedIdentifier),
  ].join(", ");
  const keyColumns = facts.rowidShown ? [table.rowidName ?? "rowid"] : facts.keys;
  const where = keyColumns.map((name, index) => `${quoteIdentifier(name)} = :p${index}`).join(" and ");
  const keyParams: Params = Object.fromEntries(key.map((value, index) => [`p${index}`, value]));
  return {
    sql: `select ${selected} from ${source} where ${where} limit 1`,
    params: { ...keyParams, ...params },
    columns,
  };
}

/** How many rows of which tables point at this row; nothing for compound keys, or when counting takes too long. */
async function linkingTables(visit: RowVisit, facts: TableFacts): Promise<readonly LinkingTable[]> {
  const { rowhouse, actor, target } = visit;
  const { database, key } = target;
  const keys = facts.table.incoming.filter(({ columns }) => columns.length === 1);
  if (keys.length === 0 || key.length !== 1) return [];
  const allowed = await viewable(
    rowhouse,
    actor,
    database,
    keys.map(({ otherTable }) => otherTable),
  );
  const { tables } = await database.schema();
  const open = keys.flatMap(({ columns, otherTable, otherColumns }) => {
    const other = tables.get(otherTable);
    const [column] = columns;
    const [otherColumn] = otherColumns;
    if (!allowed.has(otherTable) || other === undefined) return [];
    return column === undefined || otherColumn === undefined ? [] : [{ other, column, otherColumn }];
  });
  if (open.length === 0) return [];
  const sources = await Promise.all(open.map(({ other }) => readable(rowhouse, actor, database, other)));
  const counts = open.map(
    ({ otherColumn }, index) =>
      `(select count(*) from ${sources[index]?.source} where ${publishedIdentifier(otherColumn)} = :key)`,
  );
  const params = Object.assign({ key: key[0] }, ...sources.map((source) => source.params)) as Params;
  const found = await countsOrNull(visit, `select ${counts.join(", ")}`, params);
  if (found === null) return [];
  return open.map(({ other, column, otherColumn }, index) => ({
    other_table: other.name,
    column,
    other_column: otherColumn,
    count: Number(found[index] ?? 0),
    link: linkTo(visit, other.name, otherColumn),
  }));
}

async function countsOrNull(
  { target }: RowVisit,
  sql: string,
  params: Params,
): Promise<readonly SqlValue[] | null> {
  try {
    const { rows } = await target.database.read(sql, params);
    return rows[0] ?? null;
  } catch (error) {
    if (error instanceof QueryInterrupted) return null;
    throw error;
  }
}

function linkTo({ rowhouse, target }: RowVisit, otherTable: string, otherColumn: string): string {
  const path = rowhouse.urls.table(target.database.name, otherTable);
  // Published with the column as it is; only what would end or change the name is encoded.
  const name = otherColumn.replace(/[%&+#=]/g, encodeURIComponent);
  const argument = otherColumn.startsWith("_") ? `${name}__exact` : name;
  return `${path}?${argument}=${formEncode(target.key[0] ?? "")}`;
}

function rowContext(
  { target }: RowVisit,
  facts: TableFacts,
  metadata: MetadataBlock,
  foreignKeyTables: readonly LinkingTable[],
  expandable: readonly ExpandableColumn[],
): RowContext {
  const { table } = facts;
  const own = table.columns.filter(({ hidden }) => !hidden).map(({ name }) => name);
  return {
    database: target.database,
    table,
    metadata,
    columns: columnFacts(facts, facts.rowidShown ? ["rowid", ...own] : own, metadata, expandable),
    keys: facts.keys,
    keyValues: target.key,
    path: rowPath(target.key),
    foreignKeyTables,
    expandable,
  };
}
