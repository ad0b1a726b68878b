import { publishedIdentifier, resolveEscapeFts } from "rowhouse/plugin-api";
import type { Database, FilterClause, ReadableTable, Selection } from "rowhouse/plugin-api";
import { noConditions, whereText, withClauses } from "./conditions.js";
import type { Params } from "./conditions.js";
import { pagingClause } from "./page-position.js";
import type { Position } from "./page-position.js";
import { executedOrder, publishedOrder } from "./sort.js";
import type { Sort } from "./sort.js";
import type { TableFacts } from "./table-facts.js";

/** All that decides which rows a page shows. */
export interface PagePlan {
  readonly database: Database;
  readonly facts: TableFacts;
  readonly readable: ReadableTable;
  readonly columns: readonly string[];
  /** Conditions in published order. */
  readonly clauses: readonly FilterClause[];
  readonly sort: Sort | null;
  readonly position: Position;
  readonly size: number;
  /** The real rowid, read as a last column where another column took its name and rows need paths. */
  readonly pathColumn: string | null;
}

/** The statements of a page. */
export interface PageStatements {
  /** As it is shown in `query`. */
  readonly published: { readonly sql: string; readonly params: Params };
  /** What runs: the same rows, with a tie-breaker in the order and narrowed to what the actor may read. */
  readonly executed: { readonly sql: string; readonly params: Params };
  /** `executed` without a limit, for the whole result. */
  readonly unlimited: string;
  /** All rows that match, paging aside. */
  readonly selection: Selection;
}

export function pageStatements(plan: PagePlan): PageStatements {
  const { facts, readable, sort, position } = plan;
  const conditions = withClauses(noConditions, plan.clauses);
  const selection = selectionOf(plan, whereText(conditions), conditions.params);
  // A broken view has no columns that anybody knows of; the engine will say what is wrong with it.
  const columns = plan.columns.map(publishedIdentifier).join(", ") || "*";
  const pathColumn = plan.pathColumn === null ? "" : `, ${plan.pathColumn}`;
  const paging = pagingClause(position, facts, sort, readable.sql);
  // One row more than asked for: its presence is how we know there is a next page.
  const limit = `limit ${plan.size + 1}${position.offset > 0 ? ` offset ${position.offset}` : ""}`;

  const shown = paging === null ? conditions : withClauses(conditions, [paging]);
  const order = publishedOrder(facts, sort, position.after !== null);
  const from = `from ${publishedIdentifier(facts.table.name)}${whereText(shown)}`;

  const run =
    paging === null ? conditions : withClauses(conditions, [{ ...paging, where: paging.executedWhere }]);
  const after =
    paging === null ? "" : `${conditions.wheres.length === 0 ? " where" : " and"} ${run.wheres.at(-1)}`;
  const unlimited = `select ${columns}${pathColumn} ${selection.fromWhere}${after} ${executedOrder(facts, sort)}`;
  return {
    published: { sql: `select ${columns} ${from} ${order} ${limit}`, params: shown.params },
    executed: { sql: `${unlimited} ${limit}`, params: { ...run.params, ...selection.params } },
    unlimited,
    selection,
  };
}

function selectionOf(plan: PagePlan, where: string, params: Params): Selection {
  const { sql, params: all } = resolveEscapeFts({
    sql: `from ${plan.readable.sql}${where}`,
    params: { ...params, ...plan.readable.params },
  });
  return {
    database: plan.database,
    table: plan.readable.table,
    columns: plan.facts.columns,
    fromWhere: sql,
    params: all,
    stranger: plan.clauses.some(({ stranger }) => stranger === true),
    confine: plan.clauses.find(({ confine }) => confine !== undefined)?.confine ?? null,
  };
}
