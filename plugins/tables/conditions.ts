import { needsBarrier, renameParameters } from "rowhouse/plugin-api/sql";
import type { Database, SqlInput } from "rowhouse/plugin-api";
import type { FilterClause, ReadableTable, Selection } from "rowhouse/plugin-api/contracts";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { executedOrder, publishedOrder } from "./page-arguments.js";
import type { Order } from "./page-arguments.js";
import { pagingClause } from "./page-position.js";
import type { Position } from "./page-position.js";
import type { TableFacts } from "./table-facts.js";

export type Params = Readonly<Record<string, SqlInput>>;

/** The conditions of one statement, with parameter names that are unique in it. */
export interface Conditions {
  /** One SQL condition each; a statement joins them with `and`. */
  readonly wheres: readonly string[];
  readonly params: Params;
}

export const noConditions: Conditions = { wheres: [], params: {} };

type Clause = Pick<FilterClause, "where" | "executedWhere" | "params">;

/** The clauses as pages show them. */
const published = (clauses: readonly Clause[]): readonly Clause[] =>
  clauses.map(({ where, params }) => ({ where, params }));

/**
 * Adds clauses to `conditions`, as they are executed. Parameters named `p0`, `p1`, ... are renumbered through the whole
 * statement. Any other name is kept unless the statement already uses it.
 */
export function withClauses(conditions: Conditions, clauses: readonly Clause[]): Conditions {
  const wheres = [...conditions.wheres];
  const taken = new ParameterNames(conditions.params);
  for (const { where: shown, executedWhere: where = shown, params } of clauses) {
    const renamed = new Map<string, string>();
    for (const [name, value] of Object.entries(params)) {
      const free = taken.add(name, value);
      if (free !== name) renamed.set(name, free);
    }
    wheres.push(renamed.size === 0 ? where : renameParameters(where, renamed));
  }
  return { wheres, params: taken.params };
}

/** Collects parameters and gives each a unique name. */
class ParameterNames {
  readonly params: Record<string, SqlInput>;
  #count: number;

  constructor(params: Params) {
    this.params = { ...params };
    this.#count = Object.keys(params).length;
  }

  /** @returns the name under which the value was added */
  add(wanted: string, value: SqlInput): string {
    const name = this.#free(wanted);
    this.params[name] = value;
    this.#count += 1;
    return name;
  }

  #free(wanted: string): string {
    if (/^p\d+$/.test(wanted)) return this.#firstFree("p", this.#count);
    return this.#isTaken(wanted) ? this.#firstFree(`${wanted}_`, 2) : wanted;
  }

  #firstFree(stem: string, number: number): string {
    let free = number;
    while (this.#isTaken(stem + free)) free += 1;
    return stem + free;
  }

  #isTaken = (name: string): boolean => Object.hasOwn(this.params, name);
}

/** ` where a and b`; empty without conditions. */
export const whereText = ({ wheres }: Conditions): string =>
  wheres.length === 0 ? "" : ` where ${wheres.join(" and ")}`;

/** `from <source><where>`: each condition is on the side of the barrier where it may be evaluated. */
export interface RowSource {
  readonly source: string;
  /** ` where ...`; empty without conditions. */
  readonly where: string;
  /** True if `source` already contains the order. An outer statement that only filters keeps it. */
  readonly isOrdered: boolean;
}

interface Parts {
  readonly clauses: readonly Pick<FilterClause, "leakproof">[];
  /** The conditions of `clauses`, in the same order. */
  readonly conditions: Conditions;
  /** ` order by ...`; empty without an order. */
  readonly order?: string;
}

/**
 * The rows that match the conditions. Leakproof conditions go inside the barrier, where the engine can use an index for
 * them. The others go outside and are evaluated only on rows that the actor may read. If all conditions are
 * leakproof, no barrier is needed.
 */
export function rowSource(dialect: Dialect, readable: ReadableTable, parts: Parts): RowSource {
  const { isInside, inside, outside } = splitByLeakproof(readable, parts);
  if (isInside || !needsBarrier(readable)) {
    return { source: readable.flattenable, where: whereText(parts.conditions), isOrdered: false };
  }
  const { order = "" } = parts;
  return {
    source: dialect.barrier(`select * from ${readable.flattenable}${inside}${order}`, readable.table.name),
    where: outside,
    isOrdered: order !== "",
  };
}

/** Like `rowSource`, for statements that compute values from the rows: hidden rows must never be evaluated. */
export function isolatedRowSource(dialect: Dialect, readable: ReadableTable, parts: Parts): RowSource {
  if (!needsBarrier(readable)) return rowSource(dialect, readable, parts);
  const { inside, outside } = splitByLeakproof(readable, parts);
  const source = dialect.barrier(`select * from ${readable.flattenable}${inside}`, readable.table.name);
  return { source, where: outside, isOrdered: false };
}

function splitByLeakproof(readable: ReadableTable, { clauses, conditions }: Parts) {
  const { wheres, params } = conditions;
  const stored = storedNames(readable);
  const isLeakproof = (index: number): boolean =>
    clauses[index]?.leakproof?.every((name) => stored.has(name.toLowerCase())) ?? false;
  const barred = wheres.filter((_where, index) => !isLeakproof(index));
  const others = wheres.filter((_where, index) => isLeakproof(index));
  return {
    isInside: barred.length === 0,
    inside: whereText({ wheres: others, params }),
    outside: whereText({ wheres: barred, params }),
  };
}

/**
 * Names of stored columns in lower case. Computing a column of a view or a generated column may fail on a row. A set,
 * because an address has room for thousands of conditions and a table for thousands of columns.
 */
function storedNames({ table, isPlainView = false }: ReadableTable): ReadonlySet<string> {
  const { kind, columns, rowidName } = table;
  if (kind !== "table" && !isPlainView) return new Set();
  const names = new Map(columns.map(({ name, generated }) => [name.toLowerCase(), generated !== "virtual"]));
  if (rowidName !== null && !names.has(rowidName.toLowerCase())) names.set(rowidName.toLowerCase(), true);
  return new Set([...names.keys()].filter((name) => names.get(name) === true));
}

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
  const { facts, readable, order, position, clauses } = plan;
  const { dialect } = plan.database;
  const conditions = withClauses(noConditions, clauses);
  // The columns of a broken view are unknown. Running the statement makes the engine report the error.
  const columns = plan.columns.map(dialect.publishedIdentifier).join(", ") || "*";
  const pathColumn = plan.pathColumn === null ? "" : `, ${plan.pathColumn}`;
  const paging = pagingClause({ dialect, source: readable.flattenable }, position, facts, order);
  // One row more than the page size shows whether there is a next page.
  const limit = dialect.limit(plan.size + 1, position.offset > 0 ? position.offset : undefined);

  const pagings = paging === null ? [] : [paging];
  const shown = withClauses(noConditions, published([...clauses, ...pagings]));
  const head = `select ${columns} from ${dialect.publishedIdentifier(facts.table.name)}${whereText(shown)}`;

  const run = withClauses(conditions, pagings);
  const ordered = executedOrder(dialect, facts, order);
  const rows = rowSource(dialect, readable, {
    clauses: paging === null ? clauses : [...clauses, { leakproof: pagingColumns(facts, order) }],
    conditions: run,
    order: ordered === "" ? "" : ` ${ordered}`,
  });
  const executed = executable(plan, {
    sql: `select ${columns}${pathColumn} from ${rows.source}${rows.where} ${rows.isOrdered ? "" : ordered}`,
    params: run.params,
  });
  return {
    published: {
      sql: `${head} ${publishedOrder(dialect, facts, order, position.after !== null)}${limit}`,
      params: shown.params,
    },
    executed: { sql: `${executed.sql}${limit}`, params: executed.params },
    unlimited: executed.sql,
    selection: selectionOf(plan, conditions),
    counted: executable(plan, fromRows(rowSource(dialect, readable, { clauses, conditions }), conditions)),
  };
}

/** The columns in the paging condition. */
const pagingColumns = ({ pagingKeys }: TableFacts, order: Order): readonly string[] => [
  ...pagingKeys,
  ...order.map(({ column }) => column),
];

/** The statement that counts the rows before a page that begins after a row. */
export function countBefore(plan: PagePlan): Sql {
  const { facts, readable, order, clauses, database } = plan;
  const page = { dialect: database.dialect, source: readable.flattenable };
  const paging = pagingClause(page, plan.position, facts, order);
  // A comparison with NULL is neither true nor false: such rows come first.
  const notAfter: FilterClause[] =
    paging === null
      ? []
      : [
          {
            where: `(${paging.executedWhere}) is not true`,
            params: paging.params,
            description: null,
            leakproof: pagingColumns(facts, order),
          },
        ];
  const all = [...clauses, ...notAfter];
  const conditions = withClauses(noConditions, all);
  const rows = rowSource(database.dialect, readable, { clauses: all, conditions });
  const { sql, params } = executable(plan, fromRows(rows, conditions));
  return { sql: `select count(*) ${sql}`, params };
}

interface Sql {
  readonly sql: string;
  readonly params: Params;
}

const fromRows = ({ source, where }: RowSource, { params }: Conditions): Sql => ({
  sql: `from ${source}${where}`,
  params,
});

/** Adds the parameters of the read restriction. */
function executable(
  { database, readable, clauses }: Pick<PagePlan, "database" | "readable" | "clauses">,
  { sql, params }: Sql,
): Sql {
  const statement = { sql, params: { ...params, ...readable.params } };
  const isPlain = clauses.length === 0 && !readable.restricted;
  return isPlain ? statement : database.dialect.expandFunctions(statement);
}

/** All rows of a plan, ignoring paging. Nothing that is computed from them is evaluated on hidden rows. */
export function selectionOf(
  plan: Pick<PagePlan, "database" | "facts" | "readable" | "clauses">,
  conditions: Conditions = withClauses(noConditions, plan.clauses),
): Selection {
  const { database, readable, clauses } = plan;
  const rows = isolatedRowSource(database.dialect, readable, { clauses, conditions });
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
