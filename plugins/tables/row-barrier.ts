import { behindBarrier, needsBarrier } from "rowhouse/plugin-api";
import type { FilterClause, ReadableTable } from "rowhouse/plugin-api";
import { whereText } from "./conditions.js";
import type { Conditions } from "./conditions.js";

/** `from <source><where>`, with the conditions of a statement put where each of them may be evaluated. */
export interface BarredRows {
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
export function barredRows(readable: ReadableTable, parts: Parts): BarredRows {
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
export function alwaysBarredRows(readable: ReadableTable, parts: Parts): BarredRows {
  if (!needsBarrier(readable)) return barredRows(readable, parts);
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
