import { needsBarrier, renameParameters } from "rowhouse/plugin-api/sql";
import type { SqlInput } from "rowhouse/plugin-api";
import type { FilterClause, ReadableTable } from "rowhouse/plugin-api/contracts";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { foldName } from "rowhouse/plugin-api/names";

export type Params = Readonly<Record<string, SqlInput>>;

/** The conditions of one statement, with parameter names that are unique in it. */
export interface Conditions {
  /** One SQL condition each; a statement joins them with `and`. */
  readonly wheres: readonly string[];
  readonly params: Params;
}

export const noConditions: Conditions = { wheres: [], params: {} };

type Clause = Pick<FilterClause, "where" | "executedWhere" | "publishedWhere" | "params" | "executedParams">;

/** The clauses as JSON documents show them. */
export const published = (clauses: readonly Clause[]): readonly Clause[] =>
  clauses.map(({ where, publishedWhere, params }) => ({ where: publishedWhere ?? where, params }));

/** The clauses as people edit them. */
export const editable = (clauses: readonly Clause[]): readonly Clause[] =>
  clauses.map(({ where, params }) => ({ where, params }));

/** True for a clause of which all forms are the same. */
export const isExecutedAsShown = ({ executedWhere, publishedWhere, executedParams }: Clause): boolean =>
  executedWhere === undefined && publishedWhere === undefined && executedParams === undefined;

/**
 * Adds clauses to `conditions`, as they are executed. Parameters named `p0`, `p1`, ... are renumbered through the whole
 * statement. Any other name is kept unless the statement already uses it.
 */
export function withClauses(conditions: Conditions, clauses: readonly Clause[]): Conditions {
  const wheres = [...conditions.wheres];
  const taken = new ParameterNames(conditions.params);
  for (const { where: shown, executedWhere: where = shown, params, executedParams } of clauses) {
    const renamed = new Map<string, string>();
    for (const [name, value] of Object.entries({ ...params, ...executedParams })) {
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
export const whereText = ({ wheres }: Pick<Conditions, "wheres">): string =>
  wheres.length === 0 ? "" : ` where ${allOf(wheres)}`;

/** In one list, SQLite refuses a thousand conditions as too deep: each one is a level above those before it. */
const MOST_IN_LIST = 100;

function allOf(wheres: readonly string[]): string {
  if (wheres.length <= MOST_IN_LIST) return wheres.join(" and ");
  const lists: string[] = [];
  for (let start = 0; start < wheres.length; start += MOST_IN_LIST)
    lists.push(`(${wheres.slice(start, start + MOST_IN_LIST).join(" and ")})`);
  return lists.join(" and ");
}

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
  const { wheres } = conditions;
  if (wheres.length === 0) return { isInside: true, inside: "", outside: "" };
  const stored = storedNames(readable);
  const isLeakproof = (index: number): boolean =>
    clauses[index]?.leakproof?.every((name) => stored.has(foldName(name))) ?? false;
  const barred = wheres.filter((_where, index) => !isLeakproof(index));
  const others = wheres.filter((_where, index) => isLeakproof(index));
  return {
    isInside: barred.length === 0,
    inside: whereText({ wheres: others }),
    outside: whereText({ wheres: barred }),
  };
}

/**
 * Names of stored columns in lower case. Computing a column of a view or a generated column may fail on a row. A set,
 * because an address has room for thousands of conditions and a table for thousands of columns.
 */
function storedNames({ table, isPlainView = false }: ReadableTable): ReadonlySet<string> {
  const { kind, columns, rowidName } = table;
  if (kind !== "table" && !isPlainView) return new Set();
  const names = new Map(columns.map(({ name, generated }) => [foldName(name), generated !== "virtual"]));
  if (rowidName !== null && !names.has(foldName(rowidName))) names.set(foldName(rowidName), true);
  return new Set([...names.keys()].filter((name) => names.get(name) === true));
}
