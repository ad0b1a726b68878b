/** What something that was thrown says, an error or not. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** An error meant for whoever made the request. Its `status` is the HTTP status it becomes. */
export abstract class RowhouseError extends Error {
  abstract readonly status: number;
  /** Stable and machine-readable, for specs and logs; never sent to clients. */
  abstract readonly code: string;
  /** A heading for the error document, where one is published (`Invalid SQL`, `Forbidden`). */
  readonly title: string | null = null;
  /** Headers the reply must carry, such as `Allow` or `Retry-After`. */
  readonly headers: Readonly<Record<string, string>> = {};

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** What was asked makes no sense; `message` says why. */
export class BadRequest extends RowhouseError {
  readonly status: number = 400;
  readonly code: string = "BAD_REQUEST";
}

/** A statement that may not run, or that the engine refused; `message` is the engine's own. */
export class InvalidSql extends BadRequest {
  override readonly code: string = "INVALID_SQL";
  override readonly title: string | null = "Invalid SQL";
}

/** The engine's complaint while running a statement, in its own words and without any prefix. */
export class SqlFailed extends InvalidSql {
  override readonly code = "SQL_FAILED";
  /** 503 where it is the file that is wrong, not the statement. */
  override readonly status: number;
  override readonly title: string | null;
  constructor(
    message: string,
    /** The kind of failure, for callers that must tell them apart. */
    readonly kind: SqlFailure,
    options?: ErrorOptions,
  ) {
    super(message, options);
    const isOfFile = FAILURES_OF_FILES.has(kind);
    this.status = isOfFile ? 503 : 400;
    this.title = isOfFile ? null : "Invalid SQL";
  }
}

/** Why the engine gave up, as far as callers can act on it. */
export type SqlFailure =
  | "constraint"
  | "busy"
  | "too-big"
  | "read-only"
  | "corrupt"
  | "full"
  | "syntax"
  | "not-a-database"
  | "other";

const FAILURES_OF_FILES: ReadonlySet<SqlFailure> = new Set(["corrupt", "full", "not-a-database"]);

/** The time limit ran out, or the caller went away. */
export class QueryInterrupted extends BadRequest {
  override readonly code = "QUERY_INTERRUPTED";
  override readonly title = "SQL Interrupted";
  constructor(
    message = "SQL query took too long. The time limit is controlled by the sql_time_limit_ms setting.",
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A signed value that was not made by us, or not for this purpose; never says which step failed. */
export class BadSignature extends BadRequest {
  override readonly code = "BAD_SIGNATURE";
  constructor() {
    super("bad signature");
  }
}

/** The write API's refusal: every mistake found, in order. */
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

/** Somebody may not do this. The `forbidden` hook answers it. */
export class Forbidden extends RowhouseError {
  readonly status = 403;
  readonly code: string = "FORBIDDEN";
  override readonly title: string | null = "Forbidden";
}

/**
 * A statement reads, or may read, what its author may not view. Whatever does not exist is refused in the same
 * words, so that nobody can find out which of the two it is.
 */
export class StatementConfined extends Forbidden {
  override readonly code = "STATEMENT_CONFINED";
  constructor() {
    super("This statement reads something that does not exist or that you may not view");
  }
}

/** There is no such thing, or nothing may be told of it. */
export class NotFound extends RowhouseError {
  readonly status = 404;
  readonly code: string = "NOT_FOUND";
}

/** No database of this name is served. */
export class DatabaseNotFound extends NotFound {
  override readonly code = "DATABASE_NOT_FOUND";
  constructor(
    readonly database: string,
    message = `Database not found: ${database}`,
  ) {
    super(message);
  }
}

/** Neither a table nor a view nor a query has this name. */
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

/** The path is served, with other methods: they stand in the header `Allow`. */
export class MethodNotAllowed extends RowhouseError {
  readonly status = 405;
  readonly code = "METHOD_NOT_ALLOWED";
  override readonly headers: Readonly<Record<string, string>>;
  constructor(allowed: readonly string[]) {
    super("Method not allowed");
    this.headers = { Allow: allowed.join(", ") };
  }
}

/** A body is longer than the limit, known before all of it was read. */
export class PayloadTooLarge extends RowhouseError {
  readonly status = 413;
  readonly code = "PAYLOAD_TOO_LARGE";
  constructor(maxBytes: number) {
    super(`Request body exceeded maximum size of ${maxBytes} bytes`);
  }
}

/** The address that a client is sent to is longer than clients take in a header. */
export class UriTooLong extends RowhouseError {
  readonly status = 414;
  readonly code = "URI_TOO_LONG";
  constructor() {
    super("The address is too long for a redirect: send fewer or shorter arguments");
  }
}

/** The body of a request comes too slowly. The connection is closed: the rest of the body is not read. */
export class RequestTimeout extends RowhouseError {
  readonly status = 408;
  readonly code = "REQUEST_TIMEOUT";
  override readonly headers: Readonly<Record<string, string>> = { connection: "close" };
}

/** Another process holds the database, or it can't be served for now; worth trying again. */
export class DatabaseUnavailable extends RowhouseError {
  readonly status = 503;
  readonly code = "DATABASE_UNAVAILABLE";
  override readonly headers: Readonly<Record<string, string>> = { "Retry-After": "1" };
}

/** The database has another schema by now than the one that a write was made for; nothing was written. */
export class SchemaChanged extends RowhouseError {
  readonly status = 503;
  readonly code = "SCHEMA_CHANGED";
  override readonly headers: Readonly<Record<string, string>> = { "Retry-After": "1" };
  constructor() {
    super("The schema of the database has changed meanwhile.");
  }
}

/** Can a database not be read for now, whatever is asked of it? */
export const isOutOfService = (error: unknown): error is RowhouseError =>
  error instanceof RowhouseError && error.status === 503;

/** A write to a database that is immutable. */
export class ReadOnlyDatabase extends RowhouseError {
  readonly status = 403;
  readonly code = "READ_ONLY_DATABASE";
  constructor(message = "Database is immutable") {
    super(message);
  }
}

/** `write` was called from inside a write of the same database, which would wait for itself for ever. */
export class NestedWrite extends RowhouseError {
  readonly status = 500;
  readonly code = "NESTED_WRITE";
  constructor(database: string) {
    super(`A write to ${database} was started inside another write to it`);
  }
}

/** A plugin threw something that is not one of these errors. The message names the plugin and the hook. */
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

/** Stops the start. The command line prints the message and exits with `exitCode`. */
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
