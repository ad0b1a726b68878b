import {
  DatabaseUnavailable,
  InvalidSql,
  QueryInterrupted,
  ReadOnlyDatabase,
  SqlFailed,
} from "rowhouse/plugin-api/errors";
import { RowhouseError } from "rowhouse/plugin-api";

/** An error of the server or of the connection, as the client reports it. */
interface ServerError extends Error {
  /** SQLSTATE, or the code of a system error. */
  readonly code?: string;
  readonly schema?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  readonly detail?: string;
  readonly severity?: string;
  /** The function of the server that has reported the error. Poolers name none. */
  readonly routine?: string;
}

/** Sessions, memory or room for files are used up: the server needs time. */
const OUT_OF_RESOURCES = "53";
/** A statement needs more than `temp_file_limit` allows. */
const LIMIT_OF_STATEMENT = "53400";

/** Codes of https://www.postgresql.org/docs/current/errcodes-appendix.html by their first two or five characters. */
const UNAVAILABLE: ReadonlySet<string> = new Set([
  OUT_OF_RESOURCES,
  "57P01",
  "57P02",
  "57P03",
  "55P03",
  "40001",
  "40P01",
  "25P03",
]);
const SYSTEM = /^E[A-Z]+$/;

/** Of a server: values that do not fit their statement, which leaves the connection as it was. Of PgBouncer: any end. */
export const PROTOCOL_VIOLATION = "08P01";
/** By an administrator, or after `idle_session_timeout`. */
const ENDED_ON_PURPOSE: ReadonlySet<string> = new Set(["57P01", "57P05"]);
/** Errors of connections, servers that stop, have crashed or start, and sessions that were idle. */
const ENDS_CONNECTION = /^(?:08|57P0[1235])/;

/** Values that their column does not take: not in the form of its type, out of its range, or of a generated column. */
const ABOUT_VALUE = /^(?:22...|428C9|42804)$/;

/** True if the connection can't be used any more. */
export function isConnectionLost(error: unknown): boolean {
  const { code = "", message = "" } = error as ServerError;
  return (
    SYSTEM.test(code) ||
    (ENDS_CONNECTION.test(code) && hasEnded(error as ServerError)) ||
    /^Connection terminated|^Client has encountered a connection error|not queryable/.test(message)
  );
}

/**
 * False for errors after which the connection can still be used: foreign tables report the lost connection to another server
 * as an ERROR. Servers translate the severity, so that one which is not known counts as the end.
 */
const hasEnded = ({ code, severity }: ServerError): boolean =>
  code === PROTOCOL_VIOLATION ? severity === "FATAL" : severity !== "ERROR";

/**
 * True if a statement that commits may have been executed or not. A server that ends a session on purpose rolls back its
 * statement first. If the statement waits for a standby, which is after its commit, the server does not report this error.
 */
export const isOutcomeUnknown = (error: unknown): boolean => {
  const { code, routine } = error as ServerError;
  return isConnectionLost(error) && !(ENDED_ON_PURPOSE.has(code ?? "") && routine !== undefined);
};

/** True if the same work can succeed when it is repeated in a new transaction. */
export const isSerializationFailure = (error: unknown): boolean => {
  const { code = "", schema } = error as ServerError;
  // Two sessions have made the same table at once.
  return ["40001", "40P01"].includes(code) || (code === "23505" && schema === "pg_catalog");
};

/** Errors of statements that were prepared before. The types of their parameters and results may have changed since. */
const ofPrepared = new WeakSet<object>();
const ABOUT_TYPES = /^(?:42|0A|22)/;

/** @returns true if the error can be due to changed types, so that the statement must be prepared again */
export function noteErrorOfPrepared(error: unknown): boolean {
  if (!(error instanceof Error) || !ABOUT_TYPES.test((error as ServerError).code ?? "")) return false;
  ofPrepared.add(error);
  return true;
}

/** True if the statement can succeed when it is prepared again. */
export function isOutdatedPlan(error: unknown): boolean {
  const cause = causeOf(error);
  return cause instanceof Error && ofPrepared.has(cause);
}

/** An object of the catalogue was dropped while a statement read its definition, which is not part of the snapshot. */
const isDroppedMeanwhile = (error: unknown): boolean =>
  (causeOf(error) as ServerError).code === INTERNAL_ERROR;
const INTERNAL_ERROR = "XX000";
const NO_PRIVILEGE = "42501";
/** The server does not tell for what a cancelled statement has waited. */
const MAY_HAVE_WAITED = "It may have waited for a lock of another session.";

/** The error of the client behind an error of Rowhouse. */
export const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause !== undefined ? error.cause : error;

/** The server, the database or the role has as many sessions as it allows. */
export const isTooManySessions = (error: unknown): boolean => (error as ServerError).code === "53300";

/** All sessions of a pool were in use for as long as a statement waits for one. */
export const isPoolFull = (error: unknown): boolean =>
  error instanceof Error && error.message.includes("timeout exceeded when trying to connect");

/** A server that neither answered nor refused a connection. */
export const isConnectTimeout = (error: unknown): boolean =>
  (causeOf(error) as ServerError).message?.endsWith("due to connection timeout") === true;

/** True if the same read can succeed at once: its server went away, or the schema has changed meanwhile. */
export function canReadAgain(error: unknown): boolean {
  const cause = causeOf(error);
  const { code = "" } = cause as ServerError;
  const hasWaited = code === "55P03" || code.startsWith(OUT_OF_RESOURCES) || isPoolFull(cause);
  const isUnavailable = error instanceof DatabaseUnavailable && !hasWaited;
  return isUnavailable || isOutdatedPlan(error) || isDroppedMeanwhile(error);
}

/** The role, or its password, is wrong. */
export function isRejectedLogin(error: unknown): boolean {
  const { code } = causeOf(error) as ServerError;
  return code === "28P01" || code === "28000";
}

/** The transaction may only read, or should write on a standby, where BEGIN itself fails. */
const isReadOnly = ({ code, routine }: ServerError): boolean =>
  code === "25006" || (code === "0A000" && routine === "call_bool_check_hook");

/** An error of Rowhouse for an error of the client. Messages of connection errors name no host and no user. */
export function asRowhouseError(error: unknown): Error {
  if (error instanceof RowhouseError) return error;
  const failure = error as ServerError;
  if (failure.code === "57014")
    return new QueryInterrupted(`${new QueryInterrupted().message} ${MAY_HAVE_WAITED}`);
  if (isReadOnly(failure)) return new ReadOnlyDatabase(failure.message);
  const unavailable = whyUnavailable(failure);
  return unavailable === null
    ? errorOfStatement(failure)
    : new DatabaseUnavailable(unavailable, { cause: error });
}

/** Why the server can't execute a statement now; null if the statement is the reason. */
function whyUnavailable(error: ServerError): string | null {
  const { code = "" } = error;
  if (isConnectionLost(error)) return "The database server can't be reached.";
  if (code === LIMIT_OF_STATEMENT) return null;
  if (code === "53100") return "The disk of the database server is full.";
  if (UNAVAILABLE.has(code) || UNAVAILABLE.has(code.slice(0, 2))) return "The database server is busy.";
  return isRejectedLogin(error) ? "The database server rejected the login." : null;
}

function errorOfStatement(error: ServerError): Error {
  const { code = "", message = "", routine } = error;
  if (code === LIMIT_OF_STATEMENT) return new SqlFailed(message, "too-big", { cause: error });
  if (code === "42601" && routine === "exec_parse_message")
    return new InvalidSql("You can only execute one statement at a time.");
  if (code === "22P05" && routine === "report_untranslatable_char")
    return new SqlFailed("The encoding of this database does not have a character of the text", "value");
  if (code === "22P05")
    return new SqlFailed("Text in PostgreSQL can't contain the character U+0000", "value");
  if (routine === "ExecCheckIndexConstraints")
    return new SqlFailed("Rows can't be ignored or replaced: a key of the table is DEFERRABLE", "other");
  // Of a foreign table: the session with its own server can still be used.
  if (code.startsWith("08") && code !== PROTOCOL_VIOLATION)
    return new SqlFailed(message, "unreachable", { cause: error });
  // The text of the server names the object, such as a table behind a view, which may be hidden from the client.
  if (code === NO_PRIVILEGE && routine === "aclcheck_error")
    return new SqlFailed(
      "permission denied: the login of the database lacks a privilege, which the log of the database server names",
      "other",
      { cause: error },
    );
  if (ABOUT_VALUE.test(code)) return new SqlFailed(message, "value", { cause: error });
  if (!code.startsWith("23")) return new SqlFailed(messageAboutName(error), "other", { cause: error });
  return new SqlFailed(constraintMessage(error), "constraint", { cause: error });
}

/**
 * The words of SQLite for names that do not exist, and the English ones for names that are taken: clients and the
 * redaction of hidden tables read them.
 */
function messageAboutName({ code, message, routine }: ServerError): string {
  const [, name = translatedName(message)] =
    /^(?:column|relation) (?:"(.+?)"|\S+)(?: of relation ".+")? does not exist$/s.exec(message) ?? [];
  if (code === "42703") return `no such column: ${name}`;
  if (code === "42P07") return `relation "${name}" already exists`;
  return code === "42P01" && routine !== "errorMissingRTE" ? `no such table: ${name}` : message;
}

/** The name in a message of any language: in its quotes, or else the only word with a point. */
const translatedName = (message: string): string =>
  /["\u00ab\u00bb\u201e\u201c]\s?(.+?)\s?["\u00ab\u00bb\u201c\u201d]/s.exec(message)?.[1] ??
  /[\w$.]+\.[\w$]+/.exec(message)?.[0] ??
  "";

/** The words of SQLite for constraints that both engines have: clients and the redaction of hidden columns read them. */
function constraintMessage(error: ServerError): string {
  const { code, message, table = "", column = "", detail = "", constraint = "" } = error;
  // The text of the server names the other table, which may be hidden from the client.
  if (code === "23503") return "FOREIGN KEY constraint failed";
  if (code === "23514" && constraint !== "") return `CHECK constraint failed: ${constraint}`;
  if (code === "23502" && table !== "") return `NOT NULL constraint failed: ${table}.${column}`;
  if (code === "23P01") return `EXCLUDE constraint failed: ${constraint}`;
  if (code !== "23505") return message;
  // Servers translate the words around it. Without rights to the columns there are none.
  const [, columns] = /\((.+?)\)=\(/s.exec(detail) ?? [];
  if (columns === undefined) return `UNIQUE constraint failed: index '${constraint}'`;
  const names = columns.split(", ").map((name) => `${table}.${name.replace(/^"(.*)"$/, "$1")}`);
  return `UNIQUE constraint failed: ${names.join(", ")}`;
}
