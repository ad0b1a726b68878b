import { sqlTokens } from "rowhouse/plugin-api";
import type { FilterClause, SqlInput } from "rowhouse/plugin-api";

export type Params = Readonly<Record<string, SqlInput>>;

/** Conditions of one statement, their parameters named apart. */
export interface Conditions {
  /** Each a condition of its own, to be joined by `and`. */
  readonly wheres: readonly string[];
  readonly params: Params;
}

export const noConditions: Conditions = { wheres: [], params: {} };

type Added = Pick<FilterClause, "where" | "params">;

/**
 * Adds clauses to `conditions`. Parameters `p0`, `p1`, ... are numbered on through the whole statement; any
 * other name stays unless it is taken.
 */
export const withClauses = (conditions: Conditions, clauses: readonly Added[]): Conditions =>
  clauses.reduce(withClause, conditions);

function withClause({ wheres, params }: Conditions, clause: Added): Conditions {
  const all: Record<string, SqlInput> = { ...params };
  const renamed = new Map<string, string>();
  for (const [name, value] of Object.entries(clause.params)) {
    const free = freeName(name, all);
    all[free] = value;
    if (free !== name) renamed.set(name, free);
  }
  const where = renamed.size === 0 ? clause.where : renameParameters(clause.where, renamed);
  return { wheres: [...wheres, where], params: all };
}

function freeName(wanted: string, taken: Params): string {
  if (/^p\d+$/.test(wanted)) return firstFree("p", Object.keys(taken).length, taken);
  return Object.hasOwn(taken, wanted) ? firstFree(`${wanted}_`, 2, taken) : wanted;
}

const firstFree = (stem: string, number: number, taken: Params): string =>
  Object.hasOwn(taken, stem + number) ? firstFree(stem, number + 1, taken) : stem + number;

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
