import {
  DatabaseUnavailable,
  QueryInterrupted,
  SqlFailed,
  type RowhouseError,
  type SqlFailure,
} from "rowhouse/plugin-api";

/** What npm `sqlite3` rejects with: `SQLITE_ERROR: no such column: x`. */
export interface DriverError extends Error {
  readonly code?: string;
  readonly errno?: number;
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

/** A complaint of the driver as one of Rowhouse's errors, in SQLite's own words. */
export function asRowhouseError(error: unknown): RowhouseError | Error {
  const { code, message } = error as DriverError;
  if (code === undefined || !code.startsWith("SQLITE_")) return error as Error;
  if (code === "SQLITE_INTERRUPT") return new QueryInterrupted(undefined, { cause: error });
  if (code === "SQLITE_CANTOPEN" || code === "SQLITE_IOERR") {
    return new DatabaseUnavailable(bareMessage(message), { cause: error });
  }
  return new SqlFailed(bareMessage(message), failure(code, message), { cause: error });
}

function failure(code: string, message: string): SqlFailure {
  if (code === "SQLITE_ERROR" && SYNTAX.test(message)) return "syntax";
  return FAILURES[code] ?? "other";
}

/** A mistake of grammar, which is found before any table is looked up. */
export const isSyntaxError = ({ message }: DriverError): boolean => SYNTAX.test(message);

// Anchored: `no such column: x` repeats a name that the caller chose, which may read like a mistake of grammar.
const SYNTAX = /^SQLITE_ERROR: (near ".*": syntax error|incomplete input|unrecognized token: .*)$/s;

/** `SQLITE_ERROR: no such column: x` without the driver's prefix. */
export const bareMessage = (message: string): string => message.replace(/^SQLITE_[A-Z]+: /, "");

/** Is another connection's lock in the way? */
export const isBusy = (error: unknown): boolean =>
  ["SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL"].includes((error as DriverError)?.code ?? "");

/** Another process kept its lock for longer than we wait. */
export const lockTimeout = (cause: unknown): DatabaseUnavailable =>
  new DatabaseUnavailable("database is locked", { cause });
