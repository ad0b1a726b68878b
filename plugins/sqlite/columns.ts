import { randomBytes } from "node:crypto";
import { InvalidSql, SqlFailed } from "rowhouse/plugin-api";
import type { Connection } from "./connection.js";
import { asRowhouseError } from "./errors.js";
import { Lru } from "./lru.js";
import type { Statement } from "./statement.js";
import { nameOf, tokenize, type Token } from "./tokenizer.js";

/** Output columns of a statement and the schema they were found under. */
export interface KnownColumns {
  readonly names: readonly string[];
  readonly schemaVersion: number;
}

/** Columns by SQL text. They hold as long as the schema does, which every read checks by itself. */
export class ColumnCache {
  readonly #known = new Lru<string, KnownColumns>(500);

  get(sql: string): KnownColumns | undefined {
    return this.#known.get(sql);
  }

  set(sql: string, columns: KnownColumns): void {
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
export async function findColumns(connection: Connection, statement: Statement): Promise<KnownColumns> {
  // Running a statement makes the connection notice schema changes; compiling one, as EXPLAIN does, would not.
  const [current] = await connection.all<{ version: number }>({ sql: NOTICE_SCHEMA, values: [] });
  const definition = statement.wellFormed ? await probe(connection, statement.sql) : null;
  if (definition === null) return complain(connection, statement);
  const names = await realNames(connection, definedColumns(definition), statement);
  return { names, schemaVersion: current?.version ?? 0 };
}

/** Makes a connection load the schema as it is now, and says which one that is. */
export const NOTICE_SCHEMA =
  "select (select schema_version from pragma_schema_version) as version, (select 1 from sqlite_schema limit 1)";

interface Instruction {
  readonly opcode: string;
  readonly p4: string | null;
}

async function probe(connection: Connection, sql: string): Promise<string | null> {
  try {
    const program = await connection.once<Instruction>({
      sql: `explain create temp table ${PROBE} as ${sql}`,
      values: [],
    });
    const opening = `CREATE TABLE ${PROBE}(`;
    return program.find(({ p4 }) => p4?.startsWith(opening) ?? false)?.p4?.slice(opening.length) ?? null;
  } catch {
    return null; // the statement by itself draws the complaint in the words its author expects
  }
}

async function complain(connection: Connection, statement: Statement): Promise<never> {
  try {
    await connection.check(statement.sql);
  } catch (error) {
    throw asRowhouseError(error);
  }
  // What opens with WITH and makes no table out of its rows writes.
  if (statement.verb === "with") throw new SqlFailed("attempt to write a readonly database", "read-only");
  throw new InvalidSql("Statement must be a SELECT");
}

/** Names in a column list such as `\n  a,\n  "a:1" TEXT\n)`. */
function definedColumns(list: string): string[] {
  const tokens = tokenize(list).filter(({ kind }) => kind !== "space");
  return tokens
    .filter((_, index) => index === 0 || tokens[index - 1]?.kind === "comma")
    .map((token) => nameOf(token));
}

const NUMBERED = /^(.*?):[0-9]+$/s;

/**
 * A table's columns differ, so SQLite numbers those that do not: `a`, `a:1`. A numbered name stands for the
 * earlier one it was too like, unless the statement or the schema really says it that way.
 */
async function realNames(
  connection: Connection,
  names: readonly string[],
  statement: Statement,
): Promise<readonly string[]> {
  const numbered = names.filter((name) => NUMBERED.test(name));
  if (numbered.length === 0) return names;
  const spelled = new Set(statement.tokens.map((token) => writtenName(token)));
  for (const name of numbered) if (await isInSchema(connection, name)) spelled.add(name);
  const real: string[] = [];
  for (const name of names) real.push(spelled.has(name) ? name : withoutNumber(name, real));
  return real;
}

function withoutNumber(name: string, earlier: readonly string[]): string {
  const base = NUMBERED.exec(name)?.[1];
  if (base === undefined) return name;
  const same = (other: string): boolean => other.toLowerCase() === base.toLowerCase();
  if (earlier.some(same)) return base;
  return earlier.find((other) => same(NUMBERED.exec(other)?.[1] ?? other)) ?? name;
}

async function isInSchema(connection: Connection, name: string): Promise<boolean> {
  const sql = "select 1 from sqlite_schema where instr(sql, ?1) limit 1";
  return (await connection.all({ sql, values: [name] })).length > 0;
}

const writtenName = (token: Token): string =>
  token.kind === "string" ? token.text.slice(1, -1).replaceAll("''", "'") : nameOf(token);
