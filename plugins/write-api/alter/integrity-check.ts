import { RowhouseError, type Schema, type Table, type Transaction } from "rowhouse/plugin-api";
import { compileProbes } from "./compile-probes.js";

/** Integrity problems of a database that concern one table. */
export interface IntegrityProblems {
  /** Views and triggers that do not compile: `view v`, with SQLite's reason. */
  readonly broken: ReadonlyMap<string, string>;
  readonly dangling: ReadonlyMap<string, Dangling>;
}

/** The dangling foreign keys of a table. */
interface Dangling {
  /** The number of rows; Infinity if the key itself is invalid. */
  readonly rows: number;
  /** The columns of the keys; none of another table, whose columns may be hidden from the actor. */
  readonly columns: readonly string[];
}

/** Checks every view and trigger, and the foreign keys from and to `table`. */
export async function findProblems(transaction: Transaction, table: string): Promise<IntegrityProblems> {
  const schema = await transaction.schema();
  return {
    broken: await brokenCode(transaction, schema),
    dangling: await danglingRows(transaction, schema.tables.get(table)),
  };
}

/** A problem that an alteration would cause. */
export interface IntegrityProblem {
  /** The table or view that it is about. */
  readonly about: string;
  readonly message: string;
}

/** An alteration that would cause integrity problems. The reply names only those that the actor may view. */
export class IntegrityViolation extends RowhouseError {
  readonly status = 400;
  readonly code = "UNSOUND_ALTERATION";
  constructor(readonly problems: readonly IntegrityProblem[]) {
    super(problems.map(({ message }) => message).join("; "));
  }
}

/**
 * @param before the problems before the alteration, with the new name of the table
 * @throws IntegrityViolation for problems that did not exist before
 */
export function requireNoNewProblems(before: IntegrityProblems, now: IntegrityProblems): void {
  const broken = [...now.broken]
    .filter(([place]) => !before.broken.has(place))
    .map(([place, reason]) => ({
      about: place.replace(/^(?:view|triggers of) /, ""),
      message: `The ${place} would no longer work: ${reason}`,
    }));
  const dangling = [...now.dangling]
    .filter(([table, { rows }]) => rows > (before.dangling.get(table)?.rows ?? 0))
    .map(([table, { rows, columns }]) => ({
      about: table,
      message: Number.isFinite(rows)
        ? `Foreign keys of ${rows} ${rows === 1 ? "row" : "rows"} in ${withColumns(table, columns)} would point at nothing`
        : `A foreign key of ${table} would point at columns that are not unique, or not there`,
    }));
  if (broken.length + dangling.length > 0) throw new IntegrityViolation([...broken, ...dangling]);
}

async function brokenCode(transaction: Transaction, schema: Schema): Promise<ReadonlyMap<string, string>> {
  const broken = new Map<string, string>();
  for (const table of schema.tables.values()) {
    for (const [place, sql] of compileProbes(table)) {
      const reason = await compileError(transaction, sql);
      if (reason !== null && !broken.has(place)) broken.set(place, reason);
    }
  }
  return broken;
}

async function compileError(transaction: Transaction, sql: string): Promise<string | null> {
  try {
    await transaction.all(sql);
    return null;
  } catch (error) {
    if (error instanceof RowhouseError && error.status < 500) return error.message;
    throw error;
  }
}

async function danglingRows(
  transaction: Transaction,
  table: Table | undefined,
): Promise<ReadonlyMap<string, Dangling>> {
  const found = new Map<string, Dangling>();
  if (table === undefined) return found;
  const names = new Set(table.incoming.map(({ otherTable }) => otherTable));
  if (table.foreignKeys.length > 0) names.add(table.name);
  for (const name of names) {
    const dangling = await danglingIn(transaction, name);
    found.set(name, name === table.name ? dangling : { ...dangling, columns: [] });
  }
  return found;
}

const withColumns = (table: string, columns: readonly string[]): string =>
  columns.length === 0 ? table : `${table} (${columns.join(", ")})`;

const DANGLING = `
  with dangling(key) as materialized (select fkid from pragma_foreign_key_check(?))
  select (select count(*) from dangling), json_group_array("from")
  from pragma_foreign_key_list(?) where id in (select key from dangling)`;

async function danglingIn(transaction: Transaction, table: string): Promise<Dangling> {
  try {
    const { rows } = await transaction.all(DANGLING, [table, table]);
    const [count, columns] = rows[0] ?? [];
    return { rows: Number(count ?? 0), columns: JSON.parse(String(columns ?? "[]")) as string[] };
  } catch (error) {
    if (error instanceof RowhouseError && error.status < 500)
      return { rows: Number.POSITIVE_INFINITY, columns: [] };
    throw error;
  }
}
