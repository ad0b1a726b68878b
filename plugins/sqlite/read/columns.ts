import { LRUCache } from "lru-cache";
import { randomBytes } from "node:crypto";
import { InvalidSql, SqlFailed } from "rowhouse/plugin-api";
import type { Connection } from "../open/connection.js";
import { asRowhouseError, type DriverError } from "../open/errors.js";
import { resultColumnNames } from "./column-names.js";
import type { Statement } from "../sql/statement.js";
import type { Limits } from "../open/time-limit.js";
import { unquoteName, tokenize } from "../sql/tokenizer.js";

/** Output columns of a statement and the schema they were found under. */
export interface ResultColumns {
  readonly names: readonly string[];
  readonly schemaVersion: number;
}

/** Columns by SQL text. They hold as long as the schema does, which every read checks by itself. */
export class ColumnCache {
  readonly #known = new LRUCache<string, ResultColumns>({
    max: 500,
    // In characters.
    maxSize: 2_000_000,
    sizeCalculation: ({ names }, sql) =>
      names.reduce((size, name) => size + name.length + 20, sql.length + 1),
  });

  get(sql: string): ResultColumns | undefined {
    return this.#known.get(sql);
  }

  set(sql: string, columns: ResultColumns): void {
    this.#known.set(sql, columns);
  }

  clear(): void {
    this.#known.clear();
  }
}

// Nobody can know this name, so only our own statement can show up under it.
const PROBE = `rowhouse_probe_${randomBytes(8).toString("hex")}`;

/**
 * Asks SQLite for the column names of a SELECT without running it: the program it would run to make a table
 * out of it holds that table's definition. Works on read-only connections, with unbound parameters, for
 * results that are empty.
 *
 * @throws SqlFailed with SQLite's complaint about the statement, InvalidSql when it is not one that reads
 */
export async function findColumns(
  connection: Connection,
  statement: Statement,
  limits: Limits,
): Promise<ResultColumns> {
  // Running a statement makes the connection notice schema changes; compiling one, as EXPLAIN does, would not.
  const [current] = await connection.all<{ version: number }>({ sql: LOAD_SCHEMA, values: [] });
  const definition = statement.wellFormed ? await probe(connection, statement.sql, limits) : null;
  if (definition === null) return complain(connection, statement, limits);
  const names = await resultColumnNames(connection, definedColumns(definition), statement);
  return { names, schemaVersion: current?.version ?? 0 };
}

/** Makes a connection load the schema as it is now, and says which one that is. */
export const LOAD_SCHEMA =
  "select (select schema_version from pragma_schema_version) as version, (select 1 from sqlite_schema limit 1)";

interface Instruction {
  readonly opcode: string;
  readonly p4: string | null;
}

async function probe(connection: Connection, sql: string, limits: Limits): Promise<string | null> {
  try {
    const program = await connection.once<Instruction>(
      {
        sql: `explain create temp table ${PROBE} as ${sql}`,
        values: [],
      },
      limits,
    );
    const opening = `CREATE TABLE ${PROBE}(`;
    return program.find(({ p4 }) => p4?.startsWith(opening) ?? false)?.p4?.slice(opening.length) ?? null;
  } catch (error) {
    if ((error as DriverError).code === "SQLITE_INTERRUPT") throw error;
    return null; // the statement by itself draws the complaint in the words its author expects
  }
}

async function complain(connection: Connection, statement: Statement, limits: Limits): Promise<never> {
  try {
    await connection.check(statement.sql, limits);
  } catch (error) {
    throw asRowhouseError(error);
  }
  // What opens with WITH and makes no table out of its rows writes.
  if (statement.verb === "with") throw new SqlFailed("attempt to write a readonly database", "read-only");
  throw new InvalidSql("Statement must be a SELECT");
}

/** Names in a column list such as `\n  a,\n  "a:1" TEXT\n)`. */
function definedColumns(list: string): string[] {
  const tokens = tokenize(list);
  return tokens
    .filter((_, index) => index === 0 || tokens[index - 1]?.kind === "comma")
    .map((token) => unquoteName(token));
}
