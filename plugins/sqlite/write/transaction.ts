import type { Schema, SqlParams, Transaction } from "rowhouse/plugin-api";
import type {
  JsonReadOptions,
  JsonRows,
  Rows,
  StatementLimits,
  TransactionStreamOptions,
  WriteResult,
} from "rowhouse/plugin-api/engine";
import { InvalidSql, SqlFailed } from "rowhouse/plugin-api/errors";
import { changeCountsOf } from "../open/change-counts.js";
import type { Connection } from "../open/connection.js";
import { asRowhouseError } from "../open/errors.js";
import { LIKE_PATTERN_BYTES, MAX_LENGTH } from "../open/open-connection.js";
import { ColumnCache } from "../read/columns.js";
import {
  cellNames,
  cellsFormat,
  jsonFormat,
  rowText,
  typedRows,
  wireRows,
  type RowFormat,
} from "../read/row-text.js";
import { runQuery, type QueryResult, type Reader } from "../read/run-query.js";
import { openStream, type RowStream } from "../read/stream.js";
import { keyExhaustion } from "../schema/last-key.js";
import { hasReturning, returningOf, returningText, targetOf } from "../sql/returning.js";
import { bind, isExplainOrPragma, singleStatement, type Statement } from "../sql/statement.js";

/** The schema of a database, for its transactions. */
export interface SchemaLookup {
  /** The committed schema, for a transaction that has not changed it. */
  committedOn(connection: Connection): Promise<Schema>;
  /** The schema with the changes of a transaction: a new object each time. */
  changedOn(connection: Connection): Promise<Schema>;
  /** The number of a schema in SQLite; null for a schema of another file or of a transaction. */
  numberOf(schema: Schema): number | null;
}

/** The columns of statements on a connection, as its committed schemas have them. */
const committedColumns = new WeakMap<Connection, ColumnCache>();

function committedColumnsOf(connection: Connection): ColumnCache {
  const before = committedColumns.get(connection);
  if (before !== undefined) return before;
  const made = new ColumnCache();
  committedColumns.set(connection, made);
  return made;
}

/** State that the writes of one transaction share. */
export interface SharedState {
  /** True after one of the writes has changed the schema. */
  schemaChanged: boolean;
  /** The schema. No other connection can change it before the transaction ends. */
  schema?: Promise<Schema>;
}

// Writes share a transaction, so none of them may end it or begin another one.
const TRANSACTION_VERBS = new Set(["begin", "commit", "end", "rollback", "savepoint", "release"]);
const SCHEMA_VERBS = new Set("create drop alter reindex analyze pragma vacuum attach detach".split(" "));
const CHANGING_VERBS = new Set(["insert", "update", "delete", "replace"]);
// Of these, only statements with RETURNING return rows. WITH can begin any of them, or a SELECT.
const ROWLESS_VERBS = new Set([...CHANGING_VERBS, ...SCHEMA_VERBS].filter((verb) => verb !== "pragma"));

const mayReturnRows = (statement: Statement): boolean =>
  !ROWLESS_VERBS.has(statement.verb) || hasReturning(statement);

/** The statements of one write. It rejects statements after the work of the write has ended. */
export class WriteTransaction implements Transaction {
  #columns: ColumnCache | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #ended = false;
  /** The errors of statements that failed after the work had ended: it did not wait for them. */
  readonly #unawaited: unknown[] = [];
  readonly #streams = new Set<RowStream>();
  /** The error with which SQLite rolled back the whole transaction; null if it did not. */
  lost: Error | null = null;

  constructor(
    private readonly connection: Connection,
    private readonly schemas: SchemaLookup,
    private readonly shared: SharedState | null = null,
  ) {}

  run(sql: string, params?: SqlParams, limits?: StatementLimits): Promise<WriteResult> {
    return this.#run(sql, async (statement) => {
      if (limits === undefined) return this.#write(statement, params);
      this.connection.limit("likePatternLength", LIKE_PATTERN_BYTES.timedWrite);
      try {
        return await this.#write(statement, params, limits);
      } finally {
        this.connection.limit("likePatternLength", LIKE_PATTERN_BYTES.usual);
      }
    });
  }

  async #write(
    statement: Statement,
    params: SqlParams | undefined,
    limits?: StatementLimits,
  ): Promise<WriteResult> {
    if (mayReturnRows(statement)) return this.#runToEnd(statement, params, limits);
    const { changes, lastID } = await this.connection.run(bind(statement, params), limits);
    const lastInsertRowid = Number.isSafeInteger(lastID)
      ? lastID
      : (await changeCountsOf(this.connection)).lastInsertRowid;
    return { changes: CHANGING_VERBS.has(statement.verb) ? changes : 0, lastInsertRowid };
  }

  /** Reads all rows, because SQLite counts changes, and can commit, only after the last row. */
  async #runToEnd(
    statement: Statement,
    params: SqlParams | undefined,
    limits: StatementLimits | undefined,
  ): Promise<WriteResult> {
    if (hasReturning(statement)) {
      const { columns, texts } = await this.#returning(statement, params, cellsFormat({}), limits);
      const returned = { columns, rows: texts.flatMap(typedRows), truncated: false };
      const { changes, lastInsertRowid } = await changeCountsOf(this.connection);
      return { changes, lastInsertRowid, returned };
    }
    const { total } = await changeCountsOf(this.connection);
    const bound = bind(statement, params);
    await (isExplainOrPragma(statement) ? this.connection.once(bound) : this.connection.all(bound, limits));
    const after = await changeCountsOf(this.connection);
    // A statement that only reads keeps the count of the statement before it.
    return { changes: after.total === total ? 0 : after.changes, lastInsertRowid: after.lastInsertRowid };
  }

  all(sql: string, params?: SqlParams): Promise<Rows> {
    return this.#run(sql, async (statement) => {
      const { columns, texts } = await this.#query(statement, params, cellsFormat({}));
      return { columns, rows: texts.flatMap(typedRows), truncated: false };
    });
  }

  allJson(sql: string, params?: SqlParams, options: JsonReadOptions = {}): Promise<JsonRows> {
    const { infinity = "null" } = options;
    return this.#run(sql, async (statement) => {
      const { columns, texts } = await this.#query(statement, params, jsonFormat(options));
      return { columns, rows: texts.flatMap((text) => wireRows(text, infinity)), truncated: false };
    });
  }

  async *stream(
    sql: string,
    params?: SqlParams,
    { batchSize = BATCH_SIZE, malformedText, ...limits }: TransactionStreamOptions = {},
  ): AsyncGenerator<Rows> {
    const format = cellsFormat({ malformedText });
    const stream = await this.#run(sql, (statement) =>
      openStream(this.#reader(), { statement, params, format, limits }, batchSize),
    );
    this.#streams.add(stream);
    try {
      for await (const { columns, rows } of stream.batches)
        yield { columns, rows: rows.flatMap(typedRows), truncated: false };
      if (this.#ended) throw endedError();
    } catch (error) {
      throw asRowhouseError(error);
    } finally {
      this.#streams.delete(stream);
    }
  }

  schema(): Promise<Schema> {
    return this.#serial(() => this.#schema());
  }

  /**
   * Waits for the running statement and rejects all later ones.
   *
   * @throws the first error of a statement for which the work did not wait
   */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#last;
    // An active statement would make SQLite refuse the commit.
    for (const { batches } of this.#streams) await batches.return(undefined);
    if (this.#unawaited.length > 0) throw this.#unawaited[0];
  }

  #schema(): Promise<Schema> {
    const { shared, schemas, connection } = this;
    if (shared === null || shared.schemaChanged) return schemas.changedOn(connection);
    return (shared.schema ??= schemas.committedOn(connection));
  }

  async #query(statement: Statement, params: SqlParams | undefined, format: RowFormat): Promise<QueryResult> {
    if (hasReturning(statement)) return this.#returning(statement, params, format);
    if (!mayReturnRows(statement)) {
      await this.connection.run(bind(statement, params));
      return { columns: [], texts: [] };
    }
    try {
      return await runQuery(this.#reader(), { statement, params, format, limits: {} });
    } finally {
      // A read has a lower limit for its result than the values that are written.
      this.connection.limitLength(MAX_LENGTH.trusted);
    }
  }

  #reader(): Reader {
    const columns = this.#columnCache();
    return { connection: this.connection, columns, maySplitResult: true, maxLengthBytes: MAX_LENGTH.trusted };
  }

  /** SQLite gives the number of a schema that was rolled back to the next one, so no other transaction may see its columns. */
  #columnCache(): ColumnCache {
    const { shared, connection } = this;
    if (shared !== null && !shared.schemaChanged) return committedColumnsOf(connection);
    return (this.#columns ??= new ColumnCache());
  }

  /** Replaces the RETURNING clause by one that returns each row as text. */
  async #returning(
    statement: Statement,
    params: SqlParams | undefined,
    format: RowFormat,
    limits?: StatementLimits,
  ): Promise<QueryResult> {
    const returning = returningOf(statement, await this.#schema());
    if (returning === null) return { columns: [], texts: [] };
    const columns = returning.items.map(({ name }) => name);
    const text = rowText(columns, format);
    const rewritten = returningText(statement, returning, { cells: cellNames(columns), text });
    const rows = await this.connection.all<{ row: string }>(bind(rewritten, params), limits);
    return { columns, texts: rows.map(({ row }) => row) };
  }

  #run<T>(sql: string, operation: (statement: Statement) => Promise<T>): Promise<T> {
    return this.#serial(async () => {
      const statement = singleStatement(sql);
      if (TRANSACTION_VERBS.has(statement.verb)) {
        throw new InvalidSql(
          `${statement.verb.toUpperCase()} is not allowed here: each write is a transaction of its own`,
        );
      }
      if (SCHEMA_VERBS.has(statement.verb) && this.shared !== null) this.shared.schemaChanged = true;
      try {
        return await operation(statement);
      } catch (error) {
        const known = asRowhouseError(error);
        await this.#detectRollback(known);
        const isFull = known instanceof SqlFailed && known.kind === "full";
        const table = isFull ? targetOf(statement.tokens, await this.#schema()) : undefined;
        throw (await keyExhaustion(this.connection, table, known)) ?? known;
      }
    });
  }

  /** Runs one statement at a time, in the order of the calls. */
  #serial<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#ended) return Promise.reject(endedError());
    const result = this.#last.then(() => {
      if (this.lost !== null) throw this.lost;
      return operation();
    });
    this.#last = result.catch((error: unknown) => {
      if (this.#ended) this.#unawaited.push(error);
    });
    return result;
  }

  /** Some failures end the whole transaction. Each statement after it would commit by itself. */
  async #detectRollback(error: Error): Promise<void> {
    if (this.shared === null || !(error instanceof SqlFailed)) return;
    try {
      await this.connection.exec("begin");
    } catch {
      return; // the transaction is still open
    }
    await this.connection.exec("rollback");
    this.lost = error;
  }
}

const BATCH_SIZE = 1_000;
const endedError = (): Error => new Error("A transaction was used after its work had ended");
