import { WriteRejected, type Database, type Schema, type SqlInput, type Table } from "rowhouse/plugin-api";
import { wholeTables } from "rowhouse/plugin-api/access";
import { InvalidSql, SqlFailed, StatementConfined } from "rowhouse/plugin-api/errors";
import { acceptsWrites, findsTables, type Analysis, type ReadAllowlist } from "rowhouse/plugin-api/engine";
import { isPrivateTable } from "rowhouse/plugin-api/names";
import { isWord, meaningful, sqlTokens, type SqlToken } from "rowhouse/plugin-api/sql";
import { mentionsName } from "../alter/sql-parts.js";
import type { WriteContext } from "../target/write-access.js";
import { requireShortSearches } from "./search-functions.js";

/** What a statement does with one table, as the reply lists it. */
export interface Operation {
  readonly operation: "read" | "insert" | "update" | "delete";
  readonly database: string;
  readonly table: string;
  readonly required_permission: string;
  /** The trigger that writes the table; null if the statement itself does, or a foreign key. */
  readonly source: string | null;
}

/** A statement of a client, and the database and schema for which it is analysed. */
export interface ClientStatement {
  readonly database: Database;
  readonly schema: Schema;
  readonly sql: string;
  readonly params: Readonly<Record<string, SqlInput>>;
}

/** What the actor may use: tables and views that may be viewed completely. */
interface UsableTables {
  readonly tables: ReadonlyMap<string, Table>;
  /** True if nothing of the database is hidden from the actor. */
  readonly isWhole: boolean;
}

type Kind = Exclude<Operation["operation"], "read">;

// A trigger or a conflict clause can do each of them.
const TO_WRITE = ["insert-row", "update-row", "delete-row"] as const;
const NOT_A_WRITE = "Statement must be an INSERT, UPDATE or DELETE";
const TOO_LONG = 'The compiled statement is too long: send a list of values as one JSON text in "params"';
/** A few words can be compiled to a million instructions, and listing them blocks the event loop for 3 us each. */
const MOST_INSTRUCTIONS = 10_000;

/**
 * Determines what a statement does, and requires the permissions for it. A statement that names what is hidden from the
 * actor fails like one that names what does not exist.
 *
 * @throws WriteRejected: 400 for SQL that is no INSERT, UPDATE or DELETE or not valid, 403 for a missing permission
 */
export async function authorizedOperations(
  context: WriteContext,
  statement: ClientStatement,
): Promise<readonly Operation[]> {
  const { database, sql } = statement;
  if (!beginsLikeWrite(sql)) throw new WriteRejected([NOT_A_WRITE]);
  const refusal = database.dialect.refusal(sql);
  if (refusal !== null) throw new WriteRejected([refusal]);
  const usable = await usableTables(context, statement);
  if (!(await findsTables(database))) throw notUnderstood(usable);
  await requireCompiling(context, statement, usable);
  requireShortSearches(sql);
  const analysis = await database.analyse(sql);
  const { kind, reads, writes } = analysis;
  if (!isWrite(kind)) throw new WriteRejected([NOT_A_WRITE]);
  if (reads === null || writes === null) throw notUnderstood(usable);
  const tables = tablesOf(statement, { ...analysis, reads, writes }, usable);
  const written = tables.filter(({ isWritten }) => isWritten);
  for (const { table } of written) await requirePermissions(context, database, table);
  return tables.map(({ table, isWritten, source }) => ({
    operation: isWritten ? kind : "read",
    database: database.name,
    table: table.name,
    required_permission: isWritten ? TO_WRITE.join(", ") : "view-table",
    source,
  }));
}

const isWrite = (kind: Analysis["kind"]): kind is Kind =>
  kind === "insert" || kind === "update" || kind === "delete";

const FIRST_WORDS: ReadonlySet<string> = new Set(["insert", "replace", "update", "delete", "with"]);

function beginsLikeWrite(sql: string): boolean {
  const [first] = meaningful(sqlTokens(sql));
  return first?.kind === "word" && FIRST_WORDS.has(first.text.toLowerCase());
}

/** Of a table with hidden rows or columns, a statement could tell what is hidden. */
async function usableTables(
  { rowhouse, actor }: WriteContext,
  { database, schema }: ClientStatement,
): Promise<UsableTables> {
  const all = [...schema.tables.values()].filter(({ name }) => !isPrivateTable(name));
  const found = await wholeTables(rowhouse, { actor, database }, all);
  const whole = new Set(found.map(({ name }) => name));
  return {
    tables: new Map([...schema.tables].filter(([name]) => whole.has(name))),
    isWhole: all.every(({ name }) => whole.has(name) || isOfEngine(name)),
  };
}

/**
 * Compiles the statement where untrusted SQL runs, because to compile it can take long.
 *
 * @throws WriteRejected with the message of the engine, unless something is hidden from the actor
 */
async function requireCompiling(
  { rowhouse, request }: WriteContext,
  { database, sql, params }: ClientStatement,
  usable: UsableTables,
): Promise<void> {
  try {
    const { truncated } = await database.readJson(`explain ${sql}`, params, {
      trust: "untrusted",
      maxRows: MOST_INSTRUCTIONS,
      timeLimitMs: rowhouse.setting("sql_time_limit_ms"),
      signal: request.signal,
      ...(!usable.isWhole && { allowlist: allowlistOf(usable) }),
    });
    if (truncated) throw new WriteRejected([TOO_LONG]);
  } catch (error) {
    if (error instanceof StatementConfined) throw notUnderstood(usable);
    if (!(error instanceof SqlFailed || error instanceof InvalidSql)) throw error;
    throw usable.isWhole ? new WriteRejected([error.message]) : notUnderstood(usable);
  }
}

/** Views may only be read if all tables behind them may be used, too. */
const allowlistOf = ({ tables }: UsableTables): ReadAllowlist => ({
  tables: new Set(tables.keys()),
  views: new Set(),
  attached: new Map(),
});

/** What is not understood is refused. */
const notUnderstood = ({ isWhole }: UsableTables): WriteRejected =>
  new WriteRejected(
    [
      isWhole
        ? "Permission denied: the tables that this statement uses cannot be determined"
        : "Permission denied: this statement uses something that does not exist or that you may not use",
    ],
    403,
  );

interface UsedTable {
  readonly table: Table;
  readonly isWritten: boolean;
  readonly source: string | null;
}

interface KnownAnalysis extends Analysis {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** The tables that a statement uses, written ones first. @throws WriteRejected for a table that it may not use */
function tablesOf(
  { schema, sql }: ClientStatement,
  { reads, writes }: KnownAnalysis,
  usable: UsableTables,
): readonly UsedTable[] {
  const tokens = meaningful(sqlTokens(sql));
  const written = new Set(writes);
  const names = [...written, ...reads.filter((name) => !written.has(name))];
  return names.flatMap((name): readonly UsedTable[] => {
    const isNamed = mentionsName(tokens, name);
    // The engine counts the keys of AUTOINCREMENT there.
    if (name === "sqlite_sequence" && !isNamed) return [];
    const table = usable.tables.get(name);
    if (table === undefined) throw notUnderstood(usable);
    const isWritten = written.has(name);
    if (!isWritten) return [{ table, isWritten, source: null }];
    // Triggers keep an index for search up to date.
    if (isNamed ? !isOrdinary(table) : !acceptsWrites(table))
      throw new WriteRejected([`Table is not writable: ${name}`]);
    return [{ table, isWritten, source: isNamed ? null : triggerThatWrites(schema, written, name) }];
  });
}

/** Their rows about private tables are hidden from all actors. */
const isOfEngine = (name: string): boolean => name.toLowerCase().startsWith("sqlite_");

const isOrdinary = (table: Table): boolean => table.kind === "table" && acceptsWrites(table);

/** The first trigger of a written table that names the other one. */
function triggerThatWrites(schema: Schema, written: ReadonlySet<string>, name: string): string | null {
  const triggers = [...written].flatMap((one) => schema.tables.get(one)?.triggers ?? []);
  const mentions = ({ sql }: { readonly sql: string }): boolean =>
    mentionsName(bodyOf(meaningful(sqlTokens(sql))), name);
  return triggers.find(mentions)?.name ?? null;
}

/** The statements of a trigger, without its name and table. */
const bodyOf = (tokens: readonly SqlToken[]): readonly SqlToken[] =>
  tokens.slice(tokens.findIndex((token) => isWord(token, "begin")));

/** @throws WriteRejected (403) naming the missing permissions */
async function requirePermissions(
  { rowhouse, actor }: WriteContext,
  database: Database,
  { name }: Table,
): Promise<void> {
  const missing: string[] = [];
  for (const action of TO_WRITE) {
    if (!(await rowhouse.permissions.allowed(actor, action, [database.name, name]))) missing.push(action);
  }
  if (missing.length > 0)
    throw new WriteRejected([`Permission denied: need ${missing.join(", ")} on ${name}`], 403);
}
