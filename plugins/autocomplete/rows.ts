import type { SqlValue, Table } from "rowhouse/plugin-api";
import { keyColumns, type Dialect } from "rowhouse/plugin-api/engine";
import type { FilterClause, Selection } from "rowhouse/plugin-api/contracts";
import { bestInTime, readInTime, selectMatching, type Matches } from "./timed-reads.js";
import { patternOf, type Pattern, type Question } from "./typed-text.js";

/** A row: the values of its key, and its label, which is the key as text if the table has no column for it. */
export interface Row {
  readonly key: readonly SqlValue[];
  readonly label: SqlValue;
}

export interface MatchingRows {
  /** The columns of the key. */
  readonly keys: readonly string[];
  /** The column of the label; null if the table has none. */
  readonly label: string | null;
  readonly rows: readonly Row[];
  readonly isComplete: boolean;
}

/** The row with the typed key first, then those whose label begins with the text, then others. */
export async function matchingRows(question: Question): Promise<MatchingRows> {
  const { visit, text, size } = question;
  const { rowhouse, target } = visit;
  const { table } = target;
  const keys = keyColumns(table);
  const label = shownLabel(table, rowhouse.service("tables").labelColumn(target.database.name, table));
  if (keys.length === 0) return { keys, label, rows: [], isComplete: true };
  const [exact, others] = await Promise.all([
    rowsWithKey(question, keys, label),
    labelledRows(question, keys, label),
  ]);
  const rows = [...exact, ...others.rows].map((row): Row => ({
    key: row.slice(0, keys.length),
    label: label === null ? row.slice(0, keys.length).map(String).join(", ") : (row[keys.length] ?? null),
  }));
  const unique = new Map(rows.map((row) => [JSON.stringify(row.key.map(String)), row]));
  return {
    keys,
    label,
    rows: [...unique.values()].slice(0, size),
    isComplete: others.isComplete || text === "",
  };
}

/** Null if the actor may not read the column. */
const shownLabel = ({ columns }: Table, label: string | null): string | null =>
  columns.some(({ name, hidden }) => name === label && !hidden) ? label : null;

/** A key is looked up in its index, so it is found however large the table is. */
async function rowsWithKey({ visit, text }: Question, keys: readonly string[], label: string | null) {
  const [key, ...more] = keys;
  if (key === undefined || more.length > 0 || text === "") return [];
  const clause: FilterClause = {
    where: visit.target.database.dialect.equalsKey(
      { table: visit.target.table, name: key },
      text,
      "typed_key",
    ),
    params: { typed_key: text },
    leakproof: [key],
    description: null,
  };
  const selection = await selectMatching(visit, [clause]);
  const select = selectSql(visit.target.database.dialect, keys, label);
  return (await readInTime(visit, selection, `${select} ${selection.fromWhere} limit 1`)) ?? [];
}

async function labelledRows(
  question: Question,
  keys: readonly string[],
  label: string | null,
): Promise<Matches> {
  const { visit, text, size } = question;
  const { target } = visit;
  const { dialect } = target.database;
  const shown = label ?? keys[0] ?? "";
  const pattern = text === "" ? null : patternOf(dialect, dialect.publishedIdentifier(shown), text);
  const selection = await selectionOf(question, pattern);
  const select = `${selectSql(dialect, keys, label)} ${selection.fromWhere}`;
  const order = [
    ...(pattern === null ? [] : [trueFirst(pattern.starts), trueFirst(pattern.where)]),
    dialect.orderTerm({ table: target.table, name: shown }, false),
  ].join(", ");
  const bound = { ...selection, params: { ...pattern?.params, ...selection.params } };
  return bestInTime(visit, bound, {
    best: `${select} order by ${order} limit ${size}`,
    first: `${select} limit ${size}`,
  });
}

/** NULL is no match. Engines differ in where it comes. */
const trueFirst = (condition: string): string => `case when ${condition} then 0 else 1 end`;

/** By the full-text index of the table; without one by the text of the label. */
async function selectionOf({ visit, text }: Question, pattern: Pattern | null): Promise<Selection> {
  const { rowhouse, request, actor, target } = visit;
  const { database, table, source } = target;
  const searched = { request, actor, database, table, source };
  const indexed = (await rowhouse.serviceIfAny("search")?.startingWith(searched, text)) ?? null;
  const spelled: FilterClause[] =
    pattern === null ? [] : [{ where: pattern.where, params: pattern.params, description: null }];
  return selectMatching(visit, indexed === null ? spelled : [indexed]);
}

function selectSql(dialect: Dialect, keys: readonly string[], label: string | null): string {
  const columns = label === null ? keys : [...keys, label];
  return `select ${columns.map((name) => dialect.publishedIdentifier(name)).join(", ")}`;
}
