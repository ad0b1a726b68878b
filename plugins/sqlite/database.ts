import type { Database, Schema, SqlParams, Transaction } from "rowhouse/plugin-api";
import type {
  Analysis,
  Capabilities,
  CostlyStep,
  DatabaseBackup,
  DatabaseDescription,
  DatabaseLoad,
  DatabaseVersion,
  Health,
  JsonReadOptions,
  JsonRows,
  LongBlobs,
  ReadOptions,
  Rows,
  StreamOptions,
  WriteOptions,
} from "rowhouse/plugin-api/engine";
import { ReadOnlyDatabase } from "rowhouse/plugin-api/errors";
import { fileBackup } from "./backup/file-backup.js";
import { costlySteps } from "./advice/costly-steps.js";
import { analyse } from "./sql/analyse.js";
import { MARKS } from "./read/wire-json.js";
import {
  cellsFormat,
  jsonFormat,
  joinRows,
  parseRows,
  parseTypedRows,
  wireParser,
  type RowFormat,
} from "./read/row-text.js";
import { sqliteDialect } from "./sql/dialect.js";
import { asRowhouseError } from "./open/errors.js";
import { FileIdentity, sha256 } from "./open/file-identity.js";
import { openWriter, type DatabasePlan } from "./open/open-connection.js";
import { isExplainOrPragma } from "./sql/statement.js";
import { blobSize } from "./read/blob-pieces.js";
import { rowLimit, toQuery, type HostQuery } from "./read/query.js";
import { Readers } from "./read/readers.js";
import { SchemaCache } from "./schema/schema-cache.js";
import { Writer } from "./write/writer.js";

const CAPABILITIES: Capabilities = {
  dialect: "sqlite",
  interruptible: true,
  untrustedSql: true,
  snapshotReads: true,
  fullTextSearch: true,
  json: true,
  attach: true,
  download: true,
  multiWriter: false,
  maxParameters: 32_766,
  maxStatementBytes: 1_000_000,
};

/** One SQLite file, or a database in memory, over npm `sqlite3`. */
export class SqliteDatabase implements Database {
  readonly name: string;
  readonly mutable: boolean;
  readonly memory: boolean;
  readonly internal: boolean;
  readonly capabilities: Capabilities;
  readonly dialect = sqliteDialect;
  readonly longBlobs: LongBlobs = { size: blobSize, read: (blob) => this.#readers.blob(blob) };
  readonly backup?: DatabaseBackup;
  readonly #readers: Readers;
  readonly #writer: Writer;
  readonly #schemas: SchemaCache;
  readonly #identity: FileIdentity | null;
  readonly #attached: readonly FileIdentity[];
  #hash: string | null;

  constructor(private readonly plan: DatabasePlan) {
    const { location, path } = plan;
    this.name = location.name;
    this.mutable = location.mutable;
    this.memory = path === null;
    this.internal = location.internal === true;
    this.capabilities = { ...CAPABILITIES, download: path !== null };
    this.#hash = location.hash ?? null;
    if (path !== null) this.backup = fileBackup(plan);
    this.#identity =
      path === null
        ? null
        : new FileIdentity(path, {
            onReplaced: () => this.#handleReplacedFile(),
            // An immutable file is read without locks, so a change of its content counts as a replacement.
            comparesContent: !location.mutable,
          });
    this.#attached = (location.attach ?? []).map(
      (file) =>
        new FileIdentity(file.path, {
          onReplaced: () => this.#readers.renew(),
          // Without its name, which the caller may not be allowed to see.
          called: "The file of an attached database",
        }),
    );
    this.#readers = new Readers(plan, () => this.#checkFilesIfStale());
    this.#schemas = new SchemaCache(this.#readers);
    this.#writer = new Writer({
      database: location.name,
      timeoutMs: plan.rowhouse.setting("lock_wait_ms"),
      open: () => openWriter(plan),
      checkFile: () => this.#requireWritableFile(),
      streams: this.#readers.streams,
      schemas: this.#schemas,
    });
  }

  /** Opens the writer. A database in memory exists as long as this connection is open. */
  openWriter(): Promise<void> {
    return this.#writer.open();
  }

  async read(sql: string, params?: SqlParams, options: ReadOptions = {}): Promise<Rows> {
    const query = this.#query(sql, params, options, cellsFormat(options));
    const { columns, texts } = await this.#readers.run(query, options);
    const rows = await parseTypedRows(texts, options);
    return cut({ columns, rows }, rowLimit(options, columns.length));
  }

  async readJson(sql: string, params?: SqlParams, options: JsonReadOptions = {}): Promise<JsonRows> {
    const { infinity = "null" } = options;
    const query = this.#query(sql, params, options, jsonFormat(options));
    const { columns, texts, isWireJson } = await this.#readers.run(query, options);
    const rows = await parseRows(texts, wireParser(infinity, isWireJson), options);
    const mayContainBlobs = isWireJson === true || texts.some((text) => text.includes(MARKS.blob));
    const shown = cut({ columns, rows }, options.maxRows);
    return { columns, rows: shown.rows, truncated: shown.truncated, mayContainBlobs };
  }

  async *stream(sql: string, params?: SqlParams, options: StreamOptions = {}): AsyncGenerator<Rows> {
    const query = this.#query(sql, params, options, cellsFormat(options));
    if (isExplainOrPragma(query.statement)) return yield await this.read(sql, params, options);
    for await (const { columns, rows, truncated } of this.#readers.batches(query, options)) {
      yield { columns, rows: await parseTypedRows(joinRows(rows), options), truncated };
    }
  }

  async *streamJson(
    sql: string,
    params?: SqlParams,
    options: StreamOptions & JsonReadOptions = {},
  ): AsyncGenerator<JsonRows> {
    const { infinity = "null" } = options;
    const query = this.#query(sql, params, options, jsonFormat(options));
    if (isExplainOrPragma(query.statement)) return yield await this.readJson(sql, params, options);
    for await (const { columns, rows, truncated, isWireJson } of this.#readers.batches(query, options)) {
      const complete =
        isWireJson === true ? rows : await parseRows(joinRows(rows), wireParser(infinity), options);
      yield { columns, rows: complete, truncated };
    }
  }

  async write<T>(work: (transaction: Transaction) => Promise<T>, options?: WriteOptions<T>): Promise<T> {
    if (!this.mutable) throw new ReadOnlyDatabase();
    try {
      return await this.#writer.write(work, options);
    } finally {
      this.#readers.forgetVersion();
    }
  }

  analyse(sql: string): Promise<Analysis> {
    return this.#readers.use(({ connection }) =>
      analyse(connection, sql, (version) => this.#schemas.at(connection, version)),
    );
  }

  async costlySteps(
    sql: string,
    params?: SqlParams,
    options: ReadOptions = {},
  ): Promise<readonly CostlyStep[]> {
    return costlySteps(sql, {
      schema: await this.schema(),
      plan: async (explain) => {
        const { columns, rows } = await this.read(explain, params, options);
        const detail = columns.indexOf("detail");
        return rows.map((row) => String(row[detail]));
      },
      // Not through `read`, which would publish it as a statement of the request.
      hasRow: async (probe) => {
        const rows = await this.#readers.use(({ connection }) => connection.all({ sql: probe }));
        return rows.length > 0;
      },
    });
  }

  get lastSchema(): Schema | null {
    return this.#schemas.last;
  }

  schema(sinceMs?: number): Promise<Schema> {
    return this.#schemas.current(sinceMs);
  }

  version(sinceMs?: number): Promise<DatabaseVersion> {
    return this.#readers.version(sinceMs);
  }

  async describe(): Promise<DatabaseDescription> {
    const { path } = this.plan;
    if (path === null || this.#identity === null)
      return { path: null, shownPath: null, sizeBytes: 0, hash: null };
    await this.#identity.checkIfStale();
    if (!this.mutable) this.#hash ??= await sha256(path);
    return {
      path,
      shownPath: this.plan.location.shownPath ?? path,
      sizeBytes: await this.#identity.sizeBytes(),
      hash: this.#hash,
    };
  }

  async health(): Promise<Health> {
    try {
      await this.#identity?.check();
      await Promise.all(this.#attached.map((file) => file.check()));
      await this.#readers.use(({ connection }) =>
        connection.all({ sql: "select count(*) from sqlite_schema" }),
      );
      const isReadOnly = !this.mutable || this.#identity?.isReadOnly === true;
      return { state: isReadOnly ? "read-only" : "ready", reason: null };
    } catch (error) {
      return { state: "unavailable", reason: asRowhouseError(error).message };
    }
  }

  load(): DatabaseLoad {
    return { ...this.#readers.load, waitingWrites: this.#writer.waiting };
  }

  async close(): Promise<void> {
    await this.#writer.complete();
    await this.#readers.close();
    // Last: a database in memory ends with its last connection, while a read may still be opening its own.
    await this.#writer.close();
  }

  #query(sql: string, params: SqlParams | undefined, options: ReadOptions, format: RowFormat): HostQuery {
    const defaultTimeLimitMs = this.plan.rowhouse.setting("sql_time_limit_ms");
    return toQuery(sql, params, options, { format, defaultTimeLimitMs });
  }

  /** @throws DatabaseUnavailable if a file is gone */
  #checkFilesIfStale(): Promise<unknown> | void {
    const check = this.#identity?.checkIfStale();
    return this.#attached.length === 0
      ? check
      : Promise.all([check, ...this.#attached.map((file) => file.checkIfStale())]);
  }

  /** @throws DatabaseUnavailable if the file is gone, ReadOnlyDatabase if it may not be written to */
  async #requireWritableFile(): Promise<void> {
    await this.#identity?.check();
    if (this.#identity?.isReadOnly === true) throw new ReadOnlyDatabase("Database file is read-only");
  }

  /** Another file has replaced the one that is open, which other programs no longer see. */
  #handleReplacedFile(): void {
    this.#hash = null;
    this.#readers.renew();
    void this.#writer.renew();
  }
}

function cut<Row>(
  { columns, rows }: { readonly columns: readonly string[]; readonly rows: Row[] },
  maxRows: number | undefined,
): { readonly columns: readonly string[]; readonly rows: Row[]; readonly truncated: boolean } {
  if (maxRows === undefined || rows.length <= maxRows) return { columns, rows, truncated: false };
  return { columns, rows: rows.slice(0, maxRows), truncated: true };
}
