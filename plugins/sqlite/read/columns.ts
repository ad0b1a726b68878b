import { InvalidSql, SqlFailed } from "rowhouse/plugin-api/errors";
import type { Connection } from "../open/connection.js";
import { asRowhouseError, type DriverError } from "../open/errors.js";
import type { Statement } from "../sql/statement.js";
import { unquoteName, tokenize, identifierText, splitAtCommas, wordOf, type Token } from "../sql/tokens.js";
import { randomName } from "../sql/random-name.js";
import { ENTRY_BYTES, StatementCache } from "../sql/statement-caches.js";
import type { Limits } from "../open/time-limit.js";

/** Output columns of a statement, and the schema version for which they are valid. */
export interface ResultColumns {
  readonly names: readonly string[];
  readonly schemaVersion: number;
}

/**
 * Columns by statement. They are valid until the schema changes, which each read checks. Statements that differ only in
 * the values of their conditions share an entry, because programs write values into their SQL.
 */
export class ColumnCache {
  readonly #columns = new StatementCache<ResultColumns>({ name: "sql-columns", share: 0.125 });

  get(statement: Statement): ResultColumns | undefined {
    return this.#columns.entries.get(withoutValues(statement));
  }

  set(statement: Statement, columns: ResultColumns): void {
    const key = withoutValues(statement);
    const size = columns.names.reduce((sum, name) => sum + name.length + 20, key.length + ENTRY_BYTES);
    this.#columns.entries.set(key, columns, { size });
  }

  clear(): void {
    this.#columns.entries.clear();
  }
}

/** The clauses after the tables of the first SELECT. All words are reserved, so none is a name without quotes. */
const CONDITIONS = "where group having order limit union except intersect".split(" ");

/** The statement with `?` for each text and number after its tables. The names of its columns do not depend on them. */
function withoutValues({ sql, tokens, verb, wellFormed }: Statement): string {
  const start = conditionsStart({ tokens, verb, wellFormed });
  if (start === -1) return sql;
  const conditions = tokens
    .slice(start)
    .map(({ kind, text }) => (kind === "string" || kind === "number" ? "?" : text));
  return sql.slice(0, tokens[start]?.start) + conditions.join(" ");
}

/** Where the clauses after the tables of a SELECT begin; -1 if there are none, and for other statements. */
const conditionsStart = ({ tokens, verb, wellFormed }: Omit<Statement, "sql">): number =>
  verb === "select" && wellFormed ? indexAtTopLevel(tokens, 0, CONDITIONS) : -1;

const PROBE = randomName();

/**
 * Determines the column names of a SELECT without running it. The program of `create table ... as select` contains the
 * definition of the table. This works on read-only connections, with unbound parameters and for empty results.
 *
 * @throws SqlFailed with the error of SQLite for the statement, InvalidSql if it does not read
 */
export async function findColumns(
  connection: Connection,
  statement: Statement,
  limits: Limits,
): Promise<ResultColumns> {
  // A connection notices schema changes when it runs a statement, but not when it compiles one, as EXPLAIN does.
  const [current] = await connection.all<{ version: number }>({ sql: LOAD_SCHEMA });
  const definition = statement.wellFormed ? await probe(connection, statement.sql, limits) : null;
  if (definition === null) return throwCompileError(connection, statement, limits);
  const names = await resultColumnNames(connection, definedColumns(definition), statement);
  return { names, schemaVersion: current?.version ?? 0 };
}

/** Makes a connection load the current schema, and returns its version. */
export const LOAD_SCHEMA =
  "select (select schema_version from pragma_schema_version) as version, (select 1 from sqlite_schema limit 1)";

interface Instruction {
  readonly opcode: string;
  readonly p4: string | null;
}

async function probe(connection: Connection, sql: string, limits: Limits): Promise<string | null> {
  try {
    const program = await connection.once<Instruction>(
      { sql: `explain create temp table ${PROBE} as ${sql}` },
      limits,
    );
    const opening = `CREATE TABLE ${PROBE}(`;
    return program.find(({ p4 }) => p4?.startsWith(opening) ?? false)?.p4?.slice(opening.length) ?? null;
  } catch (error) {
    if ((error as DriverError).code === "SQLITE_INTERRUPT") throw error;
    return null; // the statement alone gives the error message that its author expects
  }
}

async function throwCompileError(
  connection: Connection,
  statement: Statement,
  limits: Limits,
): Promise<never> {
  try {
    await connection.check(statement.sql, limits);
  } catch (error) {
    throw asRowhouseError(error);
  }
  // A statement with WITH that returns no rows is a write.
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

/** SQLite gives no column of a table that is made of a SELECT one of these names. */
const IS_WORD = /^(?:true|false)$/i;
const NUMBERED = /^(.*?):[0-9]+$/s;

/**
 * The column names of a statement, from those of a table made of it.
 *
 * The columns of a table have different names, so SQLite numbers equal ones: `a`, `a:1`. A numbered name is the earlier
 * name that it repeats, unless the statement or the schema contains the numbered name itself.
 */
async function resultColumnNames(
  connection: Connection,
  names: readonly string[],
  statement: Statement,
): Promise<readonly string[]> {
  const named = withExpressions(await withoutNumbers(connection, names, statement), statement);
  return withWordsOfTable(connection, named, statement);
}

const isPlaceholder = (name: string, index: number): boolean => name === `column${index + 1}`;

/** The names `true` and `false` of the columns of a table, of which a statement selects all by `*`. */
async function withWordsOfTable(
  connection: Connection,
  names: readonly string[],
  { tokens }: Statement,
): Promise<readonly string[]> {
  const isWhole = isStarOfOneSource(tokens) && resultColumns(tokens)[0]?.length === 1;
  if (!isWhole || !names.some(isPlaceholder)) return names;
  const table = nameOf(tokens[indexAtTopLevel(tokens, 0, ["from"]) + 1]);
  if (table === undefined) return names;
  const sql = "select name from pragma_table_xinfo(?1) where hidden != 1";
  const own = await connection.all<{ name: string }>({ sql, values: [table] });
  if (own.length !== names.length) return names;
  return names.map((name, index) => {
    const word = own[index]?.name ?? name;
    return isPlaceholder(name, index) && IS_WORD.test(word) ? word : name;
  });
}

async function withoutNumbers(
  connection: Connection,
  names: readonly string[],
  statement: Statement,
): Promise<readonly string[]> {
  const numbered = names.filter((name) => NUMBERED.test(name));
  if (numbered.length === 0 || isStarOfOneSource(statement.tokens)) return names;
  const start = conditionsStart(statement);
  // A name in the conditions names no column of the result, and a text there is a value.
  const naming = start === -1 ? statement.tokens : statement.tokens.slice(0, start);
  const literalNames = new Set(naming.map(identifierText));
  for (const name of numbered) if (await isInSchema(connection, name)) literalNames.add(name);
  const written = namesInStatement(names, statement);
  const real: string[] = [];
  for (const [index, name] of names.entries()) {
    const own = written[index];
    if (own !== undefined && NUMBERED.test(name)) real.push(resolved(name, own, real));
    else real.push(literalNames.has(name) ? name : withoutNumber(name, real));
  }
  return real;
}

/** True for `select * from t` and `select t.* from t, u`. The columns of a table or subquery have different names already. */
function isStarOfOneSource(tokens: readonly Token[]): boolean {
  const [star, ...others] = resultColumns(tokens);
  if (star?.at(-1)?.text !== "*" || others.length > 0) return false;
  if (star.length > 1) return true;
  const start = indexAtTopLevel(tokens, 0, ["from"]) + 1;
  const end = indexAtTopLevel(tokens, start, CONDITIONS);
  const [source = [], ...more] = splitAtCommas(tokens.slice(start, end === -1 ? undefined : end));
  const inParentheses =
    source[0]?.kind === "open" && !["select", "with", "values"].includes(wordOf(source[1]));
  return more.length === 0 && !inParentheses && indexAtTopLevel(source, 0, ["join"]) === -1;
}

/** The name of each column in the statement: an alias or a column; undefined for expressions. */
function namesInStatement(names: readonly string[], { tokens }: Statement): readonly (string | undefined)[] {
  const items = resultColumns(tokens);
  if (items.length !== names.length) return [];
  return items.map((item) => nameOf(item.at(-1)));
}

const nameOf = (token: Token | undefined): string | undefined =>
  token?.kind === "name" || token?.kind === "quoted-name" ? unquoteName(token) : undefined;

function resolved(name: string, own: string, earlier: readonly string[]): string {
  if (own.toLowerCase() === name.toLowerCase()) return name;
  // SQLite removes a number at the end of a name before it adds another one.
  return NUMBERED.test(own) ? own : withoutNumber(name, earlier);
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

/**
 * A table names the column of `name collate nocase` only `name`; a result uses the text. A table has no column named `true`
 * or `false`: SQLite numbers it.
 */
function withExpressions(names: readonly string[], { sql, tokens }: Statement): readonly string[] {
  const items = resultColumns(tokens);
  if (items.length !== names.length) return names;
  return names.map((name, index) => {
    const item = items[index] ?? [];
    const [first] = item;
    const last = item.at(-1);
    if (first === undefined || last === undefined) return name;
    const collated = wordOf(withoutParentheses(item).at(-2)) === "collate";
    const constant = item.length === 1 && ["true", "false"].includes(wordOf(first));
    if (collated || constant) return sql.slice(first.start, last.end);
    const own = identifierText(last);
    return isPlaceholder(name, index) && IS_WORD.test(own) ? own : name;
  });
}

const withoutParentheses = (item: readonly Token[]): readonly Token[] =>
  item[0]?.kind === "open" && item.at(-1)?.kind === "close" ? withoutParentheses(item.slice(1, -1)) : item;

const LIST_ENDS = "from where group having window order limit union except intersect".split(" ");

/** The items of the first select list outside of parentheses. A star is one item. */
function resultColumns(tokens: readonly Token[]): readonly Token[][] {
  const start = indexAtTopLevel(tokens, 0, ["select"]) + 1;
  if (start === 0) return [];
  const end = indexAtTopLevel(tokens, start, LIST_ENDS);
  const items = splitAtCommas(tokens.slice(start, end === -1 ? undefined : end));
  const [first] = items;
  if (["distinct", "all"].includes(wordOf(first?.[0]))) first?.shift();
  return items;
}

function indexAtTopLevel(tokens: readonly Token[], from: number, words: readonly string[]): number {
  let depth = 0;
  return tokens.findIndex((token, index) => {
    if (token.kind === "open") depth += 1;
    if (token.kind === "close") depth -= 1;
    return index >= from && depth === 0 && words.includes(wordOf(token));
  });
}
