import { sqlTokens, behindBarrier, needsBarrier } from "rowhouse/plugin-api";
import type { FilterClause, SqlInput, ReadableTable } from "rowhouse/plugin-api";

export type Params = Readonly<Record<string, SqlInput>>;

/** Conditions of one statement, their parameters named apart. */
export interface Conditions {
  /** Each a condition of its own, to be joined by `and`. */
  readonly wheres: readonly string[];
  readonly params: Params;
}

export const noConditions: Conditions = { wheres: [], params: {} };

type Clause = Pick<FilterClause, "where" | "params">;

/**
 * Adds clauses to `conditions`. Parameters `p0`, `p1`, ... are numbered on through the whole statement; any
 * other name stays unless it is taken.
 */
export function withClauses(conditions: Conditions, clauses: readonly Clause[]): Conditions {
  const wheres = [...conditions.wheres];
  const taken = new ParameterNames(conditions.params);
  for (const { where, params } of clauses) {
    const renamed = new Map<string, string>();
    for (const [name, value] of Object.entries(params)) {
      const free = taken.add(name, value);
      if (free !== name) renamed.set(name, free);
    }
    wheres.push(renamed.size === 0 ? where : renameParameters(where, renamed));
  }
  return { wheres, params: taken.params };
}

/** Parameters by names of which none comes twice. */
class ParameterNames {
  readonly params: Record<string, SqlInput>;
  #count: number;

  constructor(params: Params) {
    this.params = { ...params };
    this.#count = Object.keys(params).length;
  }

  /** @returns the name it got */
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

/** The condition with other names for its `:name` parameters; those in strings are none. */
export const renameParameters = (sql: string, names: ReadonlyMap<string, string>): string =>
  sqlTokens(sql)
    .map(({ kind, text }) => {
      const name = kind === "parameter" && text.startsWith(":") ? names.get(text.slice(1)) : undefined;
      return name === undefined ? text : `:${name}`;
    })
    .join("");

/** ` where a and b`, or nothing. */
export const whereText = ({ wheres }: Conditions): string =>
  wheres.length === 0 ? "" : ` where ${wheres.join(" and ")}`;

/** `from <source><where>`, with the conditions of a statement put where each of them may be evaluated. */
export interface RowSource {
  readonly source: string;
  /** ` where ...`, or nothing. */
  readonly where: string;
  /** The order is a part of `source`; an outer statement that only filters keeps it. */
  readonly isOrdered: boolean;
}

interface Parts {
  readonly clauses: readonly Pick<FilterClause, "leakproof">[];
  /** The conditions of `clauses`, in their order. */
  readonly conditions: Conditions;
  /** ` order by ...`, or nothing. */
  readonly order?: string;
}

/**
 * The rows that pass the conditions. Conditions that can't fail go inside the barrier, where an index serves them;
 * the others see only rows that the actor may read. Without any of the others there is nothing to bar.
 */
export function rowSource(readable: ReadableTable, parts: Parts): RowSource {
  const { isInside, inside, outside } = sorted(readable, parts);
  if (isInside || !needsBarrier(readable)) {
    return { source: readable.flattenable, where: whereText(parts.conditions), isOrdered: false };
  }
  const { order = "" } = parts;
  return {
    source: behindBarrier(`select * from ${readable.flattenable}${inside}${order}`, readable.table.name),
    where: outside,
    isOrdered: order !== "",
  };
}

/** The same for statements that compute something of the rows, which no row that is hidden may take part in. */
export function isolatedRowSource(readable: ReadableTable, parts: Parts): RowSource {
  if (!needsBarrier(readable)) return rowSource(readable, parts);
  const { inside, outside } = sorted(readable, parts);
  const source = behindBarrier(`select * from ${readable.flattenable}${inside}`, readable.table.name);
  return { source, where: outside, isOrdered: false };
}

function sorted(readable: ReadableTable, { clauses, conditions }: Parts) {
  const { wheres, params } = conditions;
  const mayLeak = (_where: string, index: number): boolean => !isLeakproof(readable, clauses[index]);
  const barred = wheres.filter(mayLeak);
  const others = wheres.filter((where, index) => !mayLeak(where, index));
  return {
    isInside: barred.length === 0,
    inside: whereText({ wheres: others, params }),
    outside: whereText({ wheres: barred, params }),
  };
}

const isLeakproof = (readable: ReadableTable, clause: Pick<FilterClause, "leakproof"> | undefined): boolean =>
  clause?.leakproof?.every((name) => isStored(readable, name)) ?? false;

/** What a view or a generated column computes may fail on a row, and so may a comparison with it. */
function isStored({ table, isPlainView = false }: ReadableTable, name: string): boolean {
  const { kind, columns, rowidName } = table;
  const isNamed = (one: string): boolean => one.toLowerCase() === name.toLowerCase();
  if (kind !== "table" && !isPlainView) return false;
  const column = columns.find((one) => isNamed(one.name));
  return column === undefined ? rowidName !== null && isNamed(rowidName) : column.generated !== "virtual";
}
