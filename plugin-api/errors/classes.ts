import type { StatementRun } from "../engine/advice.js";

/**
 * The message of a thrown value, which need not be an error.
 *
 * @example
 * messageOf(new Error("no room")); // "no room"
 * messageOf("thrown text"); // "thrown text"
 */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    // Such as an object without a prototype.
    return "a thrown value without a text";
  }
}

/** An error for the client. The reply to the request has its `status` and message. */
export abstract class RowhouseError extends Error {
  abstract readonly status: number;
  /** A stable code for logs and tests. Not sent to clients. */
  abstract readonly code: string;
  /** The heading of the error document (`Invalid SQL`, `Forbidden`); null for none. */
  readonly title: string | null = null;
  /** Headers for the reply, such as `Allow` or `Retry-After`. */
  readonly headers: Readonly<Record<string, string>> = {};

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The request is invalid; `message` says why. */
export class BadRequest extends RowhouseError {
  readonly status: number = 400;
  readonly code: string = "BAD_REQUEST";
}

/** A statement is not allowed, or the engine rejects it. */
export class InvalidSql extends BadRequest {
  override readonly code: string = "INVALID_SQL";
  override readonly title: string | null = "Invalid SQL";
}

/** The engine failed to run a statement. The message is that of the engine, without a prefix. */
export class SqlFailed extends InvalidSql {
  override readonly code = "SQL_FAILED";
  /** 503 if the file or another server is the cause, otherwise 400. */
  override readonly status: number;
  override readonly title: string | null;
  constructor(
    message: string,
    /** The kind of failure, for callers that handle some kinds. */
    readonly kind: SqlFailure,
    options?: ErrorOptions,
  ) {
    super(message, options);
    const isOfStorage = FAILURES_OF_STORAGE.has(kind);
    this.status = isOfStorage ? 503 : 400;
    this.title = isOfStorage ? null : "Invalid SQL";
  }
}

/** Why the engine failed. */
export type SqlFailure =
  | "constraint"
  | "busy"
  | "too-big"
  | "read-only"
  | "corrupt"
  | "full"
  | "syntax"
  | "not-a-database"
  /** Another server, from which a table reads, can't be reached. */
  | "unreachable"
  /** A text is no value of the type that it is compared with or stored as. */
  | "value"
  | "other";

const FAILURES_OF_STORAGE: ReadonlySet<SqlFailure> = new Set([
  "corrupt",
  "full",
  "not-a-database",
  "unreachable",
]);

/** The statement reached its time limit, or the client closed the connection. */
export class QueryInterrupted extends BadRequest {
  override readonly code = "QUERY_INTERRUPTED";
  override readonly title = "SQL Interrupted";
  /** The statement, for advice on indexes. Set by engines, and not sent to clients. */
  statement: StatementRun | null = null;
  constructor(
    message = "SQL query took too long. The time limit is controlled by the sql_time_limit_ms setting.",
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A signed value that this server did not sign in this namespace. The message does not say which check failed. */
export class BadSignature extends BadRequest {
  override readonly code = "BAD_SIGNATURE";
  constructor() {
    super("bad signature");
  }
}

/** The write API rejects a request. `errors` lists all mistakes in order. */
export class WriteRejected extends RowhouseError {
  readonly code = "WRITE_REJECTED";
  constructor(
    readonly errors: readonly string[],
    readonly status: number = 400,
    override readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(errors.join("; "));
  }
}

/** The actor lacks a permission. The hook `forbidden` can replace the reply. */
export class Forbidden extends RowhouseError {
  readonly status = 403;
  readonly code: string = "FORBIDDEN";
  override readonly title: string | null = "Forbidden";
}

/**
 * Untrusted SQL reads, or could read, what the actor may not view. Statements that read what does not exist get the
 * same message, so that clients cannot find out which names exist.
 */
export class StatementConfined extends Forbidden {
  override readonly code = "STATEMENT_CONFINED";
  constructor() {
    super("This statement reads something that does not exist or that you may not view");
  }
}

/** The resource does not exist, or the client may not know that it exists. */
export class NotFound extends RowhouseError {
  readonly status = 404;
  readonly code: string = "NOT_FOUND";
}

/** No database has this name. */
export class DatabaseNotFound extends NotFound {
  override readonly code = "DATABASE_NOT_FOUND";
  constructor(
    readonly database: string,
    message = `Database not found: ${database}`,
  ) {
    super(message);
  }
}

/** No table, view or canned query has this name. */
export class TableNotFound extends NotFound {
  override readonly code = "TABLE_NOT_FOUND";
  constructor(
    readonly database: string,
    readonly table: string,
  ) {
    super(`Table not found: ${table}`);
  }
}

/** No row has this key. */
export class RowNotFound extends NotFound {
  override readonly code = "ROW_NOT_FOUND";
}

/** The database is locked by another process, or temporarily not readable. Clients should retry. */
export class DatabaseUnavailable extends RowhouseError {
  readonly status = 503;
  readonly code = "DATABASE_UNAVAILABLE";
  override readonly headers: Readonly<Record<string, string>> = { "Retry-After": "1" };
}

/**
 * The connection, or the process that writes, ended while a write was committed: it is stored or not. A request with an
 * `Idempotency-Key` can be repeated safely.
 */
export class UnknownOutcome extends RowhouseError {
  readonly status = 503;
  readonly code = "UNKNOWN_OUTCOME";
  override readonly headers: Readonly<Record<string, string>> = { "Retry-After": "1" };
  constructor(
    message = "The connection to the database ended during the write. It may be stored or not.",
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The schema changed since the write was prepared. Nothing was written; clients should retry. */
export class SchemaChanged extends RowhouseError {
  readonly status = 503;
  readonly code = "SCHEMA_CHANGED";
  override readonly headers: Readonly<Record<string, string>> = { "Retry-After": "1" };
  constructor() {
    super("The schema of the database has changed meanwhile.");
  }
}

/**
 * True for errors of a database that cannot be read at the moment (status 503).
 *
 * @example
 * isOutOfService(new DatabaseUnavailable("The file is gone.")); // true
 */
export const isOutOfService = (error: unknown): error is RowhouseError =>
  error instanceof RowhouseError && error.status === 503;

/** A write to an immutable database. */
export class ReadOnlyDatabase extends RowhouseError {
  readonly status = 403;
  readonly code = "READ_ONLY_DATABASE";
  override readonly title = "Forbidden";
  constructor(message = "Database is immutable") {
    super(message);
  }
}

/** `write` was called inside a write to the same database: it would wait for itself. */
export class NestedWrite extends RowhouseError {
  readonly status = 500;
  readonly code = "NESTED_WRITE";
  constructor(database: string) {
    super(`A write to ${database} was started inside another write to it`);
  }
}

/** A plugin threw an error that is no `RowhouseError`. The message names the plugin and the hook. */
export class PluginError extends RowhouseError {
  readonly status = 500;
  readonly code = "PLUGIN_ERROR";
  constructor(
    readonly plugin: string,
    readonly hook: string,
    override readonly cause: unknown,
  ) {
    super(`Plugin ${plugin} failed in ${hook}: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** Stops the start of the server. The command prints the message and exits with `exitCode`: 1, or 2 for wrong usage. */
export class StartupError extends Error {
  constructor(
    message: string,
    readonly exitCode: 1 | 2 = 1,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "StartupError";
  }
}
