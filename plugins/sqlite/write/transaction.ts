import {
  InvalidSql,
  jsonText,
  SqlFailed,
  type JsonReadOptions,
  type JsonRows,
  type Rows,
  type Schema,
  type SqlParams,
  type SqlValue,
  type Transaction,
  type WriteResult,
} from "rowhouse/plugin-api";
import { bind } from "../sql/bind.js";
import { typedRows } from "../read/typed-cells.js";
import { ColumnCache } from "../read/columns.js";
import type { Connection } from "../open/connection.js";
import { asRowhouseError } from "../open/errors.js";
import { MAX_LENGTH } from "../open/open-connection.js";
import { isExplainOrPragma, readExplainOrPragma } from "../read/explain-and-pragma.js";
import { runQuery, cellNames, type QueryResult } from "../read/query.js";
import { hasReturning, returningOf, targetOf } from "../sql/returning.js";
import { jsonForm, rowText, type RowForm } from "../read/row-encoding.js";
import { singleStatement, type Statement } from "../sql/statement.js";
import { wireRows } from "../read/wire-format.js";

/** What a transaction needs of its database. */
export interface TransactionHost {
  /** The committed schema where `connection` sees no other, else one made for the asker. */
  schemaOn(connection: Connection, touched: boolean): Promise<Schema>;
  /** The number SQLite counts a schema by; null where that is one of another file or of no commit. */
  numberOf(schema: Schema): number | null;
}

/** What the works of one transaction tell each other. */
export interface SharedKnowledge {
  /** Has one of them changed the schema? */
  schemaTouched: boolean;
  /** As all have found it; holds until one of them changes it, for the transaction keeps others from doing so. */
  schema?: Promise<Schema>;
}

// A work can neither end the transaction it shares with others nor begin one of its own.
const TRANSACTION_VERBS = new Set(["begin", "commit", "end", "rollback", "savepoint", "release"]);
const SCHEMA_VERBS = new Set([
  "create",
  "drop",
  "alter",
  "reindex",
  "analyze",
  "pragma",
  "vacuum",
  "attach",
  "detach",
]);
const CHANGING_VERBS = new Set(["insert", "update", "delete", "replace"]);
// Of these, only a RETURNING clause brings rows. `with` may begin any of them, or a SELECT.
const ROWLESS_VERBS = new Set([...CHANGING_VERBS, ...SCHEMA_VERBS].filter((verb) => verb !== "pragma"));

const mayReturnRows = (statement: Statement): boolean =>
  !ROWLESS_VERBS.has(statement.verb) || hasReturning(statement);

/** What SQLite has counted on a connection. */
interface Counters {
  /** Rows that the last statement changed, without those that its triggers did. */
  readonly changes: number;
  /** Rows changed since the connection was opened. */
  readonly total: number;
  readonly lastInsertRowid: number | bigint;
}

/** What a work writes through; of no use after the work has ended. */
export class WriteTransaction implements Transaction {
  readonly #columns = new ColumnCache();
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;
  /** Why SQLite rolled the whole transaction back, if it did. */
  lost: Error | null = null;

  constructor(
    private readonly connection: Connection,
    private readonly host: TransactionHost,
    private readonly shared: SharedKnowledge | null = null,
  ) {}

  run(sql: string, params?: SqlParams): Promise<WriteResult> {
    return this.#inTurn(sql, async (statement) => {
      if (mayReturnRows(statement)) return this.#runToEnd(statement, params);
      const { changes, lastID } = await this.connection.run(bind(statement, params));
      const lastInsertRowid = Number.isSafeInteger(lastID)
        ? lastID
        : (await this.#counters()).lastInsertRowid;
      return { changes: CHANGING_VERBS.has(statement.verb) ? changes : 0, lastInsertRowid };
    });
  }

  /** Takes every row of the statement: SQLite counts its changes when it has ended, and commits only then. */
  async #runToEnd(statement: Statement, params: SqlParams | undefined): Promise<WriteResult> {
    if (hasReturning(statement)) {
      const returned = await this.#returnedRows(statement, params);
      const { changes, lastInsertRowid } = await this.#counters();
      return { changes, lastInsertRowid, returned };
    }
    const { total } = await this.#counters();
    await (isExplainOrPragma(statement) ? this.connection.once : this.connection.all).call(
      this.connection,
      bind(statement, params),
      {},
    );
    const after = await this.#counters();
    // A statement that reads leaves the count of the one before it.
    return { changes: after.total === total ? 0 : after.changes, lastInsertRowid: after.lastInsertRowid };
  }

  async #returnedRows(statement: Statement, params: SqlParams | undefined): Promise<Rows> {
    const { columns, texts } = await this.#returning(statement, params, () => ({ kind: "cells" }));
    return { columns, rows: texts.flatMap(typedRows), truncated: false };
  }

  all(sql: string, params?: SqlParams): Promise<Rows> {
    return this.#inTurn(sql, async (statement) => {
      if (isExplainOrPragma(statement))
        return { ...(await readExplainOrPragma(this.connection, statement, params, {})), truncated: false };
      const { columns, texts } = await this.#answer(statement, params, () => ({ kind: "cells" }));
      return { columns, rows: texts.flatMap(typedRows), truncated: false };
    });
  }

  allJson(sql: string, params?: SqlParams, options: JsonReadOptions = {}): Promise<JsonRows> {
    const { shape = "arrays", infinity = "null" } = options;
    return this.#inTurn(sql, async (statement) => {
      if (isExplainOrPragma(statement)) {
        const { columns, rows } = await readExplainOrPragma(this.connection, statement, params, {});
        return { columns, rows: rows.map((row) => jsonRow(row, columns, options)), truncated: false };
      }
      const { columns, texts } = await this.#answer(statement, params, jsonForm(shape));
      return { columns, rows: texts.flatMap((text) => wireRows(text, infinity)), truncated: false };
    });
  }

  schema(): Promise<Schema> {
    return this.#serial(() => this.#schema());
  }

  /** Waits for what is under way and refuses everything from then on. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#last.catch(() => undefined);
  }

  #schema(): Promise<Schema> {
    const { shared } = this;
    if (shared === null || shared.schemaTouched) return this.host.schemaOn(this.connection, true);
    return (shared.schema ??= this.host.schemaOn(this.connection, false));
  }

  async #answer(
    statement: Statement,
    params: SqlParams | undefined,
    form: (columns: readonly string[]) => RowForm,
  ): Promise<QueryResult> {
    if (hasReturning(statement)) return this.#returning(statement, params, form);
    if (!mayReturnRows(statement)) {
      await this.connection.run(bind(statement, params));
      return { columns: [], texts: [] };
    }
    const reader = {
      connection: this.connection,
      columns: this.#columns,
      maySplitResult: true,
      maxLengthBytes: MAX_LENGTH.trusted,
    };
    return runQuery(reader, { ...UNLIMITED, statement, params, form });
  }

  /** The clause is replaced by one that returns each row's text. */
  async #returning(
    statement: Statement,
    params: SqlParams | undefined,
    form: (columns: readonly string[]) => RowForm,
  ): Promise<QueryResult> {
    const returning = returningOf(statement, await this.#schema());
    if (returning === null) return { columns: [], texts: [] };
    const columns = returning.items.map(({ name }) => name);
    const cells = cellNames(columns);
    const items = returning.items.map(({ sql }, index) => `${sql} as ${cells[index] ?? ""}`);
    const text = `(select ${rowText(cells, form(columns))} from (select ${items.join(", ")} limit 1))`;
    const rewritten = singleStatement(`${returning.before} returning ${text} as "row"`);
    const rows = await this.connection.all<{ row: string }>(bind(rewritten, params));
    return { columns, texts: rows.map(({ row }) => row) };
  }

  async #counters(): Promise<Counters> {
    const [row] = await this.connection.all<{ changes: number; total: number; id: string }>({
      sql: "select changes() as changes, total_changes() as total, cast(last_insert_rowid() as text) as id",
      values: [],
    });
    const { changes, total, id } = row ?? { changes: 0, total: 0, id: "0" };
    const lastInsertRowid = Number.isSafeInteger(Number(id)) ? Number(id) : BigInt(id);
    return { changes, total, lastInsertRowid };
  }

  #inTurn<T>(sql: string, operation: (statement: Statement) => Promise<T>): Promise<T> {
    return this.#serial(async () => {
      const statement = singleStatement(sql);
      if (TRANSACTION_VERBS.has(statement.verb)) {
        throw new InvalidSql(
          `${statement.verb.toUpperCase()} is not allowed here: each write is a transaction of its own`,
        );
      }
      if (SCHEMA_VERBS.has(statement.verb) && this.shared !== null) this.shared.schemaTouched = true;
      try {
        return await operation(statement);
      } catch (error) {
        const known = asRowhouseError(error);
        await this.#noticeRollback(known);
        throw (await this.#exhaustion(statement, known)) ?? known;
      }
    });
  }

  /** One statement at a time, in order of asking. */
  #serial<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#ended) return Promise.reject(new Error("A transaction was used after its work had ended"));
    const result = this.#last
      .catch(() => undefined)
      .then(() => {
        if (this.lost !== null) throw this.lost;
        return operation();
      });
    this.#last = result;
    return result;
  }

  /** SQLite calls a disk full, too, where a table has given out its last key; nobody can wait for that to pass. */
  async #exhaustion(statement: Statement, error: Error): Promise<SqlFailed | null> {
    if (!(error instanceof SqlFailed) || error.kind !== "full") return null;
    const table = targetOf(statement.tokens, await this.#schema());
    if (table === undefined || !/autoincrement/i.test(table.sql ?? "")) return null;
    const [row] = await this.connection.all({
      sql: "select 1 from sqlite_sequence where name = ?1 and seq = 9223372036854775807",
      values: [table.name],
    });
    return row === undefined
      ? null
      : new SqlFailed(`${table.name} has given out its last key, 9223372036854775807`, "constraint", {
          cause: error,
        });
  }

  /** Some failures end the whole transaction; what came next would be committed on its own. */
  async #noticeRollback(error: Error): Promise<void> {
    if (this.shared === null || !(error instanceof SqlFailed)) return;
    try {
      await this.connection.exec("begin");
    } catch {
      return; // there is still a transaction
    }
    await this.connection.exec("rollback");
    this.lost = error;
  }
}

/** A row of typed cells as wire JSON. */
export function jsonRow(
  row: readonly SqlValue[],
  columns: readonly string[],
  { shape = "arrays", infinity = "null" }: JsonReadOptions,
): string {
  if (shape === "arrays") return jsonText(row, infinity);
  return jsonText(new Map(columns.map((column, index) => [column, row[index] ?? null])), infinity);
}

const UNLIMITED = { limits: {}, maxRows: undefined, columns: undefined, allowlist: undefined };
