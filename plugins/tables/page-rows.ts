import { parseExactJson } from "rowhouse/plugin-api/json";
import type { RowSet, SqlValue, Visit } from "rowhouse/plugin-api";
import type { ExpandableColumn } from "rowhouse/plugin-api/contracts";
import { addressText, columnOf, equalsValue, type JsonRows, type Rows } from "rowhouse/plugin-api/engine";
import type { RowStream } from "rowhouse/plugin-api/http";
import { readOptionsOf } from "rowhouse/plugin-api/sql";
import { keysetOf, pageStatements, type PagePlan, type PageStatements } from "./page-statements.js";
import { labelRows, type LabelContext } from "./labels.js";
import { writeToken } from "./page-position.js";
import { blobPieces } from "./row-statement.js";
import type { TableFacts } from "./table-facts.js";
import { cellsWithUnread, hasUnreadWithoutPath } from "./unread-blobs.js";

/** The rows of one page and where the next one begins. */
export interface PageRows {
  readonly rows: RowSet;
  /** The `_next` token; null on the last page. */
  readonly next: string | null;
}

export interface PageQuery {
  readonly visit: Visit<"table">;
  readonly plan: PagePlan;
  readonly statements: PageStatements;
  readonly labelled: readonly ExpandableColumn[];
  readonly timeLimitMs: number;
}

/** Reads one page: as JSON text made by the engine if the renderer accepts it and no labels are needed, else as cells. */
export async function readPage(reading: PageQuery): Promise<PageRows> {
  const { rows } = reading.visit.wants;
  return readsCells(reading)
    ? cellPage(reading)
    : jsonPage(reading, rows === "objects" ? "objects" : "arrays");
}

/** The last row is parsed for the `_next` token. With infinities as words its text is not valid JSON. */
const readsCells = ({ visit, labelled }: PageQuery): boolean =>
  visit.wants.rows === "cells" ||
  visit.wants.rows === "none" ||
  visit.wants.infinity === "words" ||
  labelled.length > 0;

async function jsonPage(reading: PageQuery, shape: "arrays" | "objects"): Promise<PageRows> {
  const { visit, plan, statements } = reading;
  const result: JsonRows = await plan.database.readJson(statements.executed.sql, statements.executed.params, {
    shape,
    infinity: visit.wants.infinity,
    ...pageOptions(reading),
  });
  const shown = result.rows.slice(0, plan.size);
  const last = result.rows.length > plan.size ? shown.at(-1) : undefined;
  const next =
    last === undefined
      ? null
      : await nextToken(plan, valuesForToken(plan, last), result.mayContainBlobs === true);
  return { rows: { columns: plan.columns, json: shown, cells: null, keys: plan.facts.keys }, next };
}

async function cellPage(reading: PageQuery): Promise<PageRows> {
  const { plan, statements } = reading;
  const result = await plan.database.read(statements.executed.sql, statements.executed.params, {
    malformedText: reading.visit.wants.malformedText,
    ...pageOptions(reading),
  });
  const shown = result.rows.slice(0, plan.size);
  const last = result.rows.length > plan.size ? shown.at(-1) : undefined;
  const rows = await rowSet(reading, shown);
  if (plan.unread.length > 0 && hasUnreadWithoutPath(rows)) return cellPage(withAllBytes(reading));
  return { rows, next: last === undefined ? null : await nextToken(plan, last) };
}

/** For rows without a path: the address of their bytes contains a hash. */
function withAllBytes(reading: PageQuery): PageQuery {
  const plan = { ...reading.plan, unread: [] };
  return { ...reading, plan, statements: pageStatements(plan) };
}

const readOptions = ({ visit, plan, statements, timeLimitMs }: PageQuery) =>
  ({
    timeLimitMs,
    columns: columnsRead(plan),
    signal: visit.request.signal,
    ...readOptionsOf(statements.selection),
  }) as const;

/** A `_where` condition may comment out the limit of the statement, so rows are limited here too. */
const pageOptions = (reading: PageQuery) => ({ maxRows: reading.plan.size + 1, ...readOptions(reading) });

/** The columns of the statement: those of the page, the sizes of BLOBs that are not read, and the path. */
const columnsRead = ({ columns, pathColumn, unread }: PagePlan): readonly string[] =>
  pathColumn === null && unread.length === 0
    ? columns
    : [...columns, ...unread, ...(pathColumn === null ? [] : [pathColumn])];

const shownCells = (plan: PagePlan, row: readonly SqlValue[]): readonly SqlValue[] =>
  cellsWithUnread(row, plan, (column, size) =>
    blobPieces({ ...plan, key: keyOf(plan, row) }, { column, size }),
  );

/** The parts of the row path. */
function keyOf({ facts, columns, pathColumn }: PagePlan, row: readonly SqlValue[]): readonly string[] {
  if (pathColumn !== null) return [String(row.at(-1))];
  return facts.keys.map((name) => addressText(row[columns.indexOf(name)] ?? null));
}

async function rowSet(reading: PageQuery, rows: Rows["rows"]): Promise<RowSet> {
  const { plan, labelled } = reading;
  const own = columnsRead(plan) === plan.columns ? rows : rows.map((row) => shownCells(plan, row));
  const paths = plan.pathColumn === null ? null : rows.map((row) => String(row.at(-1)));
  return {
    columns: plan.columns,
    json: null,
    cells: labelled.length === 0 ? own : await labelRows(labelContext(reading), plan.columns, own, labelled),
    keys: plan.facts.keys,
    ...(paths !== null && { paths }),
  };
}

const labelContext = ({ visit, plan }: PageQuery): LabelContext => ({
  rowhouse: visit.rowhouse,
  actor: visit.actor,
  database: plan.database,
  request: visit.request,
});

/** Streams the whole result in batches, with labels. */
export function streamPage(reading: PageQuery): RowStream {
  const { plan, labelled } = reading;
  return {
    columns: plan.columns,
    keys: plan.facts.keys,
    labelled: labelled.map(({ column }) => column),
    batches: batches(reading),
  };
}

async function* batches(reading: PageQuery): AsyncIterable<RowSet> {
  const { visit, plan, statements } = reading;
  const { sql, params } = statements.unlimited;
  const keyset = keysetOf(plan);
  const all = { ...readOptions(reading), ...(keyset !== undefined && { keyset }) };
  if (readsCells(reading)) {
    const stream = plan.database.stream(sql, params, all);
    for await (const { rows } of stream) yield await rowSet(reading, rows);
    return;
  }
  const shape = visit.wants.rows === "objects" ? "objects" : "arrays";
  const options = { ...all, shape, infinity: visit.wants.infinity } as const;
  for await (const { rows } of plan.database.streamJson(sql, params, options)) {
    yield { columns: plan.columns, json: rows, cells: null, keys: plan.facts.keys };
  }
}

/** The values of a JSON row, or the first one alone if it is an integer and all that a token contains. */
function valuesForToken({ facts, columns, order }: PagePlan, row: string): readonly (SqlValue | undefined)[] {
  const isFirst = facts.pagingKeys.every((key) => key === columns[0]);
  const integer = isFirst && order.length === 0 ? FIRST_INTEGER.exec(row)?.[1] : undefined;
  return integer === undefined ? jsonValues(row, columns) : [Number(integer)];
}

/** Up to 15 digits, which a double holds. To parse the row takes twenty times as long as to read this. */
const FIRST_INTEGER = /^(?:\[|\{"[^"\\]*": )(-?\d{1,15})[,\]}]/;

/** Exact values of a JSON row by column position; `undefined` for values that are ambiguous in JSON. */
function jsonValues(text: string, columns: readonly string[]): readonly (SqlValue | undefined)[] {
  const row = parseExactJson(text);
  const values = Array.isArray(row) ? row : columns.map((name) => (row as Record<string, unknown>)[name]);
  // null may be an infinity, and an object may be bytes.
  return values.map((value: unknown) => (isExact(value) ? value : undefined));
}

const isExact = (value: unknown): value is SqlValue =>
  typeof value === "string" ||
  typeof value === "number" ||
  typeof value === "bigint" ||
  (typeof value === "object" && value !== null && "valueOf" in value && typeof value.valueOf() === "number");

/** @param mayBeBlobs a text in `last` may be that of a BLOB */
async function nextToken(
  plan: PagePlan,
  last: readonly (SqlValue | undefined)[],
  mayBeBlobs = false,
): Promise<string | null> {
  const { facts, columns, position, order } = plan;
  const shownKey = facts.pagingKeys.map((name) => last[columns.indexOf(name)]);
  const isOffset = shownKey.length === 0 || facts.hasKeyWithoutAffinity;
  if (isOffset || order.some(({ column }) => facts.unstableColumns.has(column)))
    return writeToken(facts, position, plan.size, { key: shownKey.map(() => null), sortValues: [] });
  const shown = order.map(({ column }) => last[columns.indexOf(column)]);
  const isKnown = (value: SqlValue | undefined, index: number): boolean =>
    value !== undefined &&
    !(typeof value === "string" && (mayBeBlobs || holdsBytes(facts, order[index]?.column)));
  const key =
    mayBeBlobs && shownKey.some((value) => typeof value === "string")
      ? await readKey(plan, shownKey)
      : shownKey;
  const sortValues = shown.every(isKnown) ? (shown as SqlValue[]) : await readSortValues(plan, key);
  return writeToken(facts, position, plan.size, { key, sortValues });
}

/** True for a column that declares bytes. JSON shows those that are UTF-8 as text. */
function holdsBytes({ table }: TableFacts, column = ""): boolean {
  const found = columnOf(table, column);
  return found?.affinity === "blob" && found.type !== "";
}

/** The key of a row of which JSON shows `shown`; without values if rows with a text and with its bytes have this key. */
async function readKey(
  { database, facts, readable }: PagePlan,
  shown: readonly (SqlValue | undefined)[],
): Promise<readonly (SqlValue | undefined)[]> {
  const { publishedIdentifier, bytesOf, limit } = database.dialect;
  const names = facts.pagingKeys.map(publishedIdentifier);
  const conditions = names.map((name, index) => `${name} in (:k${index}, ${bytesOf(`:k${index}`)})`);
  const params = Object.fromEntries(shown.map((value = null, index) => [`k${index}`, value]));
  const { rows } = await database.read(
    `select ${names.join(", ")} from ${readable.flattenable} where ${conditions.join(" and ")}${limit(2)}`,
    { ...params, ...readable.params },
    { columns: facts.pagingKeys },
  );
  return rows.length === 1 ? (rows[0] ?? []) : shown.map(() => undefined);
}

/** Reads the values of the order in a row if the page doesn't contain all of its columns. */
async function readSortValues(
  plan: PagePlan,
  key: readonly (SqlValue | undefined)[],
): Promise<readonly SqlValue[]> {
  const { dialect } = plan.database;
  const { table, pagingKeys } = plan.facts;
  const conditions = pagingKeys.map((name, index) => equalsValue(dialect, { table, name }, `:k${index}`));
  const keyParams = Object.fromEntries(key.map((value = null, index) => [`k${index}`, value]));
  const columns = plan.order.map(({ column }) => column);
  const { rows } = await plan.database.read(
    `select ${columns.map(dialect.publishedIdentifier).join(", ")} from ${plan.readable.flattenable} where ${conditions.join(" and ")}`,
    { ...keyParams, ...plan.readable.params },
    { columns },
  );
  return columns.map((_, index) => rows[0]?.[index] ?? null);
}
