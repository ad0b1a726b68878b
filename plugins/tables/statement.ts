import { publishedIdentifier, resolveEscapeFts } from "rowhouse/plugin-api";
import type { Database, FilterClause, ReadableTable, Selection } from "rowhouse/plugin-api";
import { noConditions, whereText, withClauses, isolatedRowSource, rowSource } from "./conditions.js";
import type { Conditions, Params, RowSource } from "./conditions.js";
import { pagingClause } from "./page-position.js";
import type { Position } from "./page-position.js";
import { executedOrder, publishedOrder } from "./page-arguments.js";
import type { Sort } from "./page-arguments.js";
import type { TableFacts } from "./table-facts.js";

/** Everything that determines the rows of a page. */
export interface PagePlan {
  readonly database: Database;
  readonly facts: TableFacts;
  readonly readable: ReadableTable;
  readonly columns: readonly string[];
  /** The conditions, in published order. */
  readonly clauses: readonly FilterClause[];
  readonly sort: Sort | null;
  readonly position: Position;
  readonly size: number;
  /** The page size before it was reduced for tables with many columns. */
  readonly requestedSize: number;
  /** An alias of the rowid, read as last column if a column is named `rowid` and rows need paths. */
  readonly pathColumn: string | null;
}

/** The statements of a page. */
export interface PageStatements {
  /** The statement that `query` shows. */
  readonly published: { readonly sql: string; readonly params: Params };
  /** The executed statement: the same rows with a tie-breaker in the order, restricted to what the actor may read. */
  readonly executed: { readonly sql: string; readonly params: Params };
  /** `executed` without a limit, for streams. */
  readonly unlimited: string;
  /** All matching rows, ignoring paging. Nothing that is computed from them is evaluated on hidden rows. */
  readonly selection: Selection;
  /** The same rows for counting: `from docs where "id" = :p0`. */
  readonly counted: { readonly sql: string; readonly params: Params };
}

export function pageStatements(plan: PagePlan): PageStatements {
  const { facts, readable, sort, position, clauses } = plan;
  const conditions = withClauses(noConditions, clauses);
  // The columns of a broken view are unknown. Running the statement makes SQLite report the error.
  const columns = plan.columns.map(publishedIdentifier).join(", ") || "*";
  const pathColumn = plan.pathColumn === null ? "" : `, ${plan.pathColumn}`;
  const paging = pagingClause(position, facts, sort, readable.flattenable);
  // One row more than the page size shows whether there is a next page.
  const limit = `limit ${plan.size + 1}${position.offset > 0 ? ` offset ${position.offset}` : ""}`;

  const shown = paging === null ? conditions : withClauses(conditions, [paging]);
  const published = `select ${columns} from ${publishedIdentifier(facts.table.name)}${whereText(shown)}`;

  const run =
    paging === null ? conditions : withClauses(conditions, [{ ...paging, where: paging.executedWhere }]);
  const order = executedOrder(facts, sort);
  const rows = rowSource(readable, {
    clauses: paging === null ? clauses : [...clauses, { leakproof: pagingColumns(facts, sort) }],
    conditions: run,
    order: order === "" ? "" : ` ${order}`,
  });
  const executed = executable(plan, {
    sql: `select ${columns}${pathColumn} from ${rows.source}${rows.where} ${rows.isOrdered ? "" : order}`,
    params: run.params,
  });
  return {
    published: {
      sql: `${published} ${publishedOrder(facts, sort, position.after !== null)} ${limit}`,
      params: shown.params,
    },
    executed: { sql: `${executed.sql} ${limit}`, params: executed.params },
    unlimited: executed.sql,
    selection: selectionOf(plan, isolatedRowSource(readable, { clauses, conditions }), conditions),
    counted: executable(plan, fromRows(rowSource(readable, { clauses, conditions }), conditions)),
  };
}

/** The columns in the paging condition. */
const pagingColumns = ({ pagingKeys }: TableFacts, sort: Sort | null): readonly string[] =>
  sort === null ? pagingKeys : [...pagingKeys, sort.column];

interface Sql {
  readonly sql: string;
  readonly params: Params;
}

const fromRows = ({ source, where }: RowSource, { params }: Conditions): Sql => ({
  sql: `from ${source}${where}`,
  params,
});

/** Adds the parameters of the read restriction. */
const executable = ({ readable }: PagePlan, { sql, params }: Sql): Sql =>
  resolveEscapeFts({ sql, params: { ...params, ...readable.params } });

function selectionOf(plan: PagePlan, rows: RowSource, conditions: Conditions): Selection {
  const { sql, params } = executable(plan, fromRows(rows, conditions));
  return {
    database: plan.database,
    table: plan.readable.table,
    columns: plan.facts.columns,
    fromWhere: sql,
    params,
    untrusted: plan.clauses.some(({ untrusted }) => untrusted === true),
    allowlist: plan.clauses.find(({ allowlist }) => allowlist !== undefined)?.allowlist ?? null,
  };
}
