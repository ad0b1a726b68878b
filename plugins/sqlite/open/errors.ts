import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import type { RowhouseError } from "rowhouse/plugin-api";
import {
  DatabaseUnavailable,
  QueryInterrupted,
  SqlFailed,
  type SqlFailure,
} from "rowhouse/plugin-api/errors";

/** An error of the driver, npm `sqlite3`: `SQLITE_ERROR: no such column: x`. */
export interface DriverError extends Error {
  readonly code?: string;
  /** The name of the database that could not be attached. */
  readonly attached?: string;
}

const FAILURES: Readonly<Record<string, SqlFailure>> = {
  SQLITE_CONSTRAINT: "constraint",
  SQLITE_MISMATCH: "constraint",
  SQLITE_BUSY: "busy",
  SQLITE_LOCKED: "busy",
  SQLITE_PROTOCOL: "busy",
  SQLITE_TOOBIG: "too-big",
  SQLITE_NOMEM: "too-big",
  SQLITE_READONLY: "read-only",
  SQLITE_CORRUPT: "corrupt",
  SQLITE_FULL: "full",
  SQLITE_NOTADB: "not-a-database",
};

/** Turns an error of the driver into one of Rowhouse, with the message of SQLite. */
export function asRowhouseError(error: unknown): RowhouseError | Error {
  const { code, message, name } = error as DriverError;
  // Of a copy, whose steps look at the signal themselves.
  if (name === "AbortError") return new QueryInterrupted("The caller went away.", { cause: error });
  if (code === undefined || !code.startsWith("SQLITE_")) return error as Error;
  if (code === "SQLITE_INTERRUPT") return new QueryInterrupted(undefined, { cause: error });
  if (code === "SQLITE_CANTOPEN" || code === "SQLITE_IOERR") {
    return new DatabaseUnavailable(hasFreeDescriptor() ? bareMessage(message) : NO_DESCRIPTOR, {
      cause: error,
    });
  }
  if (HEADER_FAULT.test(message))
    return new SqlFailed("database disk image is malformed", "corrupt", { cause: error });
  return new SqlFailed(bareMessage(message), failure(code, message), { cause: error });
}

const NO_DESCRIPTOR = "The server has too many open files";

/** SQLite does not say why it can't open a file. */
function hasFreeDescriptor(): boolean {
  try {
    closeSync(openSync(devNull, "r"));
    return true;
  } catch {
    return false;
  }
}

/** @throws the error of the driver as one of Rowhouse: for `catch` */
export function throwRowhouseError(error: unknown): never {
  throw asRowhouseError(error);
}

/**
 * What SQLite says about a file whose header has changed to a format or encoding that it can't read. Statements that attach
 * a database, of which it says the same, run only when a connection is opened.
 */
const HEADER_FAULT =
  /^SQLITE_ERROR: (unsupported file format|attached databases must use the same text encoding as main database)$/;

function failure(code: string, message: string): SqlFailure {
  if (code === "SQLITE_ERROR" && SYNTAX.test(message)) return "syntax";
  return FAILURES[code] ?? "other";
}

/** True for errors that SQLite reports before it looks up any table. */
export const isSyntaxError = ({ message }: DriverError): boolean => SYNTAX.test(message);

// Anchored, because `no such column: x` contains a name from the statement, which may look like a syntax error.
const SYNTAX = /^SQLITE_ERROR: (near ".*": syntax error|incomplete input|unrecognized token: .*)$/s;

/** `SQLITE_ERROR: no such column: x` without the driver's prefix. */
export const bareMessage = (message: string): string => message.replace(/^SQLITE_[A-Z]+: /, "");

/** True if another connection holds a lock. */
export const isBusy = (error: unknown): boolean => FAILURES[(error as DriverError)?.code ?? ""] === "busy";

/** True if a connection that only reads would have to write. */
export const isReadOnly = (error: unknown): boolean => (error as DriverError)?.code === "SQLITE_READONLY";

/** Another process held its lock for too long. */
export const lockTimeout = (cause: unknown): DatabaseUnavailable =>
  new DatabaseUnavailable("database is locked", { cause });

/** True for a {@link lockTimeout}. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && isBusy(error.cause);
