import type { Database } from "rowhouse/plugin-api";
import type { FilterClause, ReadableTable, Selection } from "rowhouse/plugin-api/contracts";
import type { Keyset, NamedStatement } from "rowhouse/plugin-api/engine";
import {
  editable,
  isExecutedAsShown,
  isolatedRowSource,
  noConditions,
  published,
  rowSource,
  whereText,
  withClauses,
  type Conditions,
  type Params,
  type RowSource,
} from "./conditions.js";
import { executedOrder, publishedOrder, type Order } from "./page-arguments.js";
import { pagingClause, type PagingClause, type Position } from "./page-position.js";
import type { TableFacts } from "./table-facts.js";
import { columnsWithSizes } from "./unread-blobs.js";

/** Everything that determines the rows of a page. */
export interface PagePlan {
  readonly database: Database;
  readonly facts: TableFacts;
  readonly readable: ReadableTable;
  readonly columns: readonly string[];
  /** The conditions, in published order. */
  readonly clauses: readonly FilterClause[];
  readonly order: Order;
  readonly position: Position;
  readonly size: number;
  /** The page size before it was reduced for tables with many columns. */
  readonly requestedSize: number;
  /** An alias of the rowid, read as last column if a column is named `rowid` and rows need paths. */
  readonly pathColumn: string | null;
  /** Columns of which long BLOBs are not read, only their sizes. */
  readonly unread: readonly string[];
}

/** A plan with the conditions that its clauses make. */
interface ConditionedPlan extends PagePlan {
  readonly conditions: Conditions;
}

const conditioned = (plan: PagePlan): ConditionedPlan => ({
  ...plan,
  conditions: withClauses(noConditions, plan.clauses),
});

export interface PageStatements {
  /** The statement that `query` of JSON documents shows. */
  readonly published: NamedStatement;
  /** The statement that people edit: it selects the rows of the page. */
  editable(): NamedStatement;
  /** The executed statement: the same rows with a tie-breaker in the order, restricted to what the actor may read. */
  readonly executed: NamedStatement;
  /** The same rows and those of all further pages, for streams. */
  readonly unlimited: NamedStatement;
  /** All matching rows, ignoring paging. Nothing that is computed from them is evaluated on hidden rows. */
  readonly selection: Selection;
  /** The same rows for counting: `from docs where "id" = :p0`. */
  readonly counted: NamedStatement;
}

export function pageStatements(unconditioned: PagePlan): PageStatements {
  const plan = conditioned(unconditioned);
  const { facts, readable, order, position, clauses, conditions } = plan;
  const { dialect } = plan.database;
  const paging = pagingClause({ dialect, source: readable.flattenable }, position, facts, order);
  // One row more than the page size shows whether there is a next page.
  const limit = dialect.limit(plan.size + 1, position.offset > 0 ? position.offset : undefined);

  const pagings = paging === null ? [] : [paging];
  const head = `select ${columnList(plan)} from ${dialect.publishedIdentifier(facts.table.name)}`;
  const tail = `${publishedOrder(dialect, facts, order, position.after !== null)}${limit}`;
  const statementOf = (form: typeof published): NamedStatement => {
    // A thousand conditions take milliseconds.
    const own = clauses.every(isExecutedAsShown) ? conditions : withClauses(noConditions, form(clauses));
    const shown = withClauses(own, form(pagings));
    return { sql: `${head}${whereText(shown)} ${tail}`, params: shown.params };
  };
  const unlimited = executedRows(plan, paging);
  const parts = position.offset > 0 ? null : partsByNull(plan, paging, limit);
  return {
    published: statementOf(published),
    // Only pages for people show it.
    editable: () => statementOf(editable),
    executed: parts ?? { sql: `${unlimited.sql}${limit}`, params: unlimited.params },
    unlimited,
    selection: selectionOf(plan, conditions),
    counted: executable(plan, fromRows(rowSource(dialect, readable, { clauses, conditions }), conditions)),
  };
}

/** The columns of a broken view are unknown. Running the statement makes the engine report the error. */
const columnList = ({ columns, database: { dialect } }: PagePlan): string =>
  columns.map(dialect.publishedIdentifier).join(", ") || "*";

/** The columns of the page, the sizes of BLOBs that are not read, and the path. */
function readColumns(plan: PagePlan): string {
  const { columns, pathColumn, unread, database } = plan;
  const path = pathColumn === null ? "" : `, ${pathColumn}`;
  if (unread.length === 0) return columnList(plan) + path;
  const names = columns.map(database.dialect.publishedIdentifier);
  return columnsWithSizes(database, { columns, names, unread }).join(", ") + path;
}

/** The rows from a position on, in their order and without a limit. */
function executedRows(
  plan: ConditionedPlan,
  paging: PagingClause | null,
  ordered = executedOrder(plan.database.dialect, plan.facts, plan.order),
): NamedStatement {
  const { facts, readable, order, clauses, database } = plan;
  const { dialect } = database;
  const conditions = withClauses(plan.conditions, paging === null ? [] : [paging]);
  const rows = rowSource(dialect, readable, {
    clauses: paging === null ? clauses : [...clauses, { leakproof: pagingColumns(facts, order) }],
    conditions,
    order: ordered === "" ? "" : ` ${ordered}`,
  });
  return executable(plan, {
    sql: `select ${readColumns(plan)} from ${rows.source}${rows.where} ${rows.isOrdered ? "" : ordered}`,
    params: conditions.params,
  });
}

/**
 * The rows of a page that is sorted by one column, from two statements of which each follows an index: the rows with
 * NULL, and those with a value. Null if one statement can follow it, or none.
 */
function partsByNull(
  plan: ConditionedPlan,
  paging: PagingClause | null,
  limit: string,
): NamedStatement | null {
  const { database, facts, readable, columns, clauses, order, position, pathColumn } = plan;
  const { dialect } = database;
  const [sort, ...others] = order;
  const isOnlyKeyed = others.length === 0 && facts.pagingKeys.length > 0 && !readable.restricted;
  if (sort === undefined || !isOnlyKeyed || pathColumn !== null) return null;
  const names = [sort.column, ...facts.keys];
  const isShown = names.every((name) => columns.filter((one) => one === name).length === 1);
  const column = { table: facts.table, name: sort.column };
  const term = dialect.indexedOrderTerm?.(column, sort.descending) ?? null;
  if (term === null || !isShown) return null;

  const keys = facts.keys.map(dialect.publishedIdentifier).join(", ");
  const name = dialect.publishedIdentifier(sort.column);
  const [value = null] = position.after?.sortValues ?? [];
  // Both parts have the same parameters, so that these have the same names.
  const params: Params = value === null ? {} : { p0: dialect.addressedValue(column, value) };
  const part = (where: string, ordered: string): NamedStatement => {
    const clause = { where, params, description: null };
    const conditions = withClauses(plan.conditions, [clause]);
    return executedRows({ ...plan, clauses: [...clauses, clause], conditions }, paging, ordered);
  };
  const parts: NamedStatement[] = [];
  const isAfterNulls = value !== null && !sort.descending;
  if (!isAfterNulls) parts.push(part(`${name} is null`, `order by ${keys}`));
  const isAfterValues = position.after !== null && value === null && sort.descending;
  // The condition of the page implies the comparison, with which the index is read from there.
  const bound = `${dialect.orderValue(column)} ${sort.descending ? "<=" : ">="} :p0`;
  if (!isAfterValues)
    parts.push(part(value === null ? `${name} is not null` : bound, `order by ${term}, ${keys}`));
  const rows = parts.map(({ sql }) => `(${sql}${limit})`).join(" union all ");
  return {
    sql: `select * from (${rows}) as parts ${executedOrder(dialect, facts, order)}${limit}`,
    params: parts[0]?.params ?? {},
  };
}

/** How to continue a stream of the rows after any of them; undefined if they are not sorted by one key only. */
export function keysetOf(plan: PagePlan): Keyset | undefined {
  const { facts, readable, order, columns, database } = plan;
  const [key, ...others] = facts.pagingKeys;
  if (key === undefined || others.length > 0 || order.length > 0) return undefined;
  const column = columns.indexOf(key);
  if (column === -1) return undefined;
  const page = { dialect: database.dialect, source: readable.flattenable };
  const whole = conditioned(plan);
  return {
    column,
    after: (text) => executedRows(whole, pagingClause(page, positionAfter(text), facts, order)),
  };
}

const positionAfter = (text: string): Position => ({
  after: { key: [text], sortValues: [], text },
  offset: 0,
});

/** The columns in the paging condition. */
const pagingColumns = ({ pagingKeys }: TableFacts, order: Order): readonly string[] => [
  ...pagingKeys,
  ...order.map(({ column }) => column),
];

/** The statement that counts the rows before a page that begins after a row. */
export function countBefore(plan: PagePlan): NamedStatement {
  const { facts, readable, order, clauses, database } = plan;
  const page = { dialect: database.dialect, source: readable.flattenable };
  const paging = pagingClause(page, plan.position, facts, order);
  const skipped = (paging === null ? [] : [paging]).map(({ skippedWhere, params }): FilterClause => ({
    where: skippedWhere,
    params,
    description: null,
    leakproof: pagingColumns(facts, order),
  }));
  const all = [...clauses, ...skipped];
  const conditions = withClauses(noConditions, all);
  const rows = rowSource(database.dialect, readable, { clauses: all, conditions });
  const { sql, params } = executable(plan, fromRows(rows, conditions));
  return { sql: `select count(*) ${sql}`, params };
}

const fromRows = ({ source, where }: RowSource, { params }: Conditions): NamedStatement => ({
  sql: `from ${source}${where}`,
  params,
});

/** Adds the parameters of the read restriction. */
function executable(
  { database, readable, clauses }: Pick<PagePlan, "database" | "readable" | "clauses">,
  { sql, params }: NamedStatement,
): NamedStatement {
  const statement = { sql, params: { ...params, ...readable.params } };
  const isPlain = clauses.length === 0 && !readable.restricted;
  return isPlain ? statement : database.dialect.expandFunctions(statement);
}

/** All rows of a plan, ignoring paging. Nothing that is computed from them is evaluated on hidden rows. */
export function selectionOf(
  plan: Pick<PagePlan, "database" | "facts" | "readable" | "clauses">,
  conditions: Conditions = withClauses(noConditions, plan.clauses),
): Selection {
  const { database, facts, readable, clauses } = plan;
  const rows = isolatedRowSource(database.dialect, readable, { clauses, conditions });
  const { sql, params } = executable(plan, fromRows(rows, conditions));
  return {
    database,
    table: readable.table,
    columns: facts.columns,
    fromWhere: sql,
    params,
    untrusted: clauses.some(({ untrusted }) => untrusted === true),
    allowlist: clauses.find(({ allowlist }) => allowlist !== undefined)?.allowlist ?? null,
  };
}
