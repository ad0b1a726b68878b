import { messageOf } from "rowhouse/plugin-api";
import {
  DatabaseUnavailable,
  InvalidSql,
  QueryInterrupted,
  SqlFailed,
  StatementConfined,
  type SqlFailure,
} from "rowhouse/plugin-api/errors";
import type { DriverError } from "../open/errors.js";

/** An error as it is sent between processes: the name of its class, and the arguments of the class. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  /** Of `SqlFailed`. */
  readonly kind?: SqlFailure | undefined;
  /** Of the driver's own errors: `SQLITE_BUSY`. */
  readonly code?: string | undefined;
}

export function describeError(error: unknown): SentError {
  if (error instanceof SqlFailed) return { name: error.name, message: error.message, kind: error.kind };
  const code = (error as DriverError).code;
  const name = error instanceof Error ? error.name : "Error";
  const isDriversOwn = code?.startsWith("SQLITE_") === true;
  return { name, message: messageOf(error), ...(isDriversOwn && { code }) };
}

const classes: Readonly<Record<string, (error: SentError) => Error>> = {
  SqlFailed: ({ message, kind }) => new SqlFailed(message, kind ?? "other"),
  InvalidSql: ({ message }) => new InvalidSql(message),
  QueryInterrupted: ({ message }) => new QueryInterrupted(message),
  StatementConfined: () => new StatementConfined(),
  DatabaseUnavailable: ({ message }) => new DatabaseUnavailable(message),
};

export function restoreError(sent: SentError): Error {
  const { code, message, name } = sent;
  if (code !== undefined) return Object.assign(new Error(message), { code });
  return Object.hasOwn(classes, name) ? (classes[name]?.(sent) ?? new Error(message)) : new Error(message);
}
