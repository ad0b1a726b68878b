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
export function withClauses(conditions: Conditions, clauses: readonly Added[]): Conditions {
  const wheres = [...conditions.wheres];
  const taken = new Names(conditions.params);
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
class Names {
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
