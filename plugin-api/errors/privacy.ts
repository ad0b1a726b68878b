import { randomBytes } from "node:crypto";
import type { ReplyHeaders } from "../http/request.js";
import { PluginError, RowhouseError, WriteRejected } from "./classes.js";
import { failedDatabase } from "./failed-database.js";

/** What clients read in place of a private message. */
export const INTERNAL_ERROR = "Internal server error";

/**
 * True for an error whose message clients must not read. Libraries, the operating system and failing plugins write
 * messages that may name files, hosts or values. Messages of Rowhouse errors are written for clients.
 *
 * @example
 * isPrivateError(new TypeError("ENOENT /etc/app/secret")); // true
 * isPrivateError(new NotFound("There is no such page")); // false
 */
export const isPrivateError = (error: unknown): boolean =>
  !(error instanceof RowhouseError) || error instanceof PluginError;

/**
 * The message for clients: that of the error, or {@link INTERNAL_ERROR} if it is private.
 *
 * @example
 * publicMessage(new TypeError("ENOENT /etc/app/secret")); // "Internal server error"
 */
export const publicMessage = (error: unknown): string =>
  error instanceof RowhouseError && !isPrivateError(error) ? error.message : INTERNAL_ERROR;

/**
 * The message of an error for the log: with the id that clients read in place of a private message, and with the database
 * that is out of service.
 *
 * @example
 * logMessage(new NotFound("There is no such page")); // "There is no such page"
 */
export function logMessage(error: Error): string {
  if (isPrivateError(error)) return `${error.message} (error id ${errorIdOf(error)})`;
  const database = failedDatabase(error);
  return database === null ? error.message : `${database}: ${error.message}`;
}

const ids = new WeakMap<object, string>();

/**
 * The id of a private error, the same one each time: clients see it in place of the message, and the log line with
 * the message carries it too.
 *
 * @example
 * rowhouse.log.error(`Sending mail failed (error id ${errorIdOf(error)})`, error);
 * return reply.text(`The mail was not sent. Error id: ${errorIdOf(error)}`, 500);
 */
export function errorIdOf(error: object): string {
  const known = ids.get(error);
  if (known !== undefined) return known;
  const id = randomBytes(6).toString("hex");
  ids.set(error, id);
  return id;
}

/** The parts of an error that clients may read. Never the stack. */
export interface ErrorDescription {
  readonly status: number;
  readonly message: string;
  readonly title: string | null;
  /** The code of the error, such as `UNKNOWN_OUTCOME`; null for unexpected errors. */
  readonly code: string | null;
  /** The id of a private error, which the log contains too; null for others. */
  readonly errorId: string | null;
  /** The errors of a rejected write; null for other errors. */
  readonly mistakes: readonly string[] | null;
  readonly headers: ReplyHeaders;
}

/** Errors of the operating system that pass when there is room again. */
const SHORTAGES: ReadonlyMap<unknown, string> = new Map([
  ["ENOSPC", "The disk of the server is full"],
  ["EDQUOT", "The disk of the server is full"],
  ["EMFILE", "The server has too many open files"],
  ["ENFILE", "The server has too many open files"],
]);

const UNEXPECTED = { status: 500, title: null, code: null, headers: {} };
/** A file may be missed after a commit, so a write may be stored or not. */
const SHORT_OF_ROOM = { status: 503, title: null, code: "UNKNOWN_OUTCOME", headers: {} };

/**
 * Describes an error for clients.
 *
 * @example
 * describeError(new NotFound("There is no such page")).status; // 404
 * @param showsPrivate private messages are shown: the setting `error_debug`
 */
export function describeError(error: Error, showsPrivate = false): ErrorDescription {
  const shortage = SHORTAGES.get((error as NodeJS.ErrnoException).code);
  const { status, title, code, headers } =
    error instanceof RowhouseError ? error : shortage === undefined ? UNEXPECTED : SHORT_OF_ROOM;
  return {
    status,
    message: showsPrivate ? error.message : (shortage ?? publicMessage(error)),
    title,
    code,
    errorId: isPrivateError(error) ? errorIdOf(error) : null,
    mistakes: error instanceof WriteRejected ? error.errors : null,
    headers: lowerCased(headers),
  };
}

const lowerCased = (headers: Readonly<Record<string, string>>): ReplyHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
