import { errorIdOf, isPrivateError, publicMessage, RowhouseError, WriteRejected } from "rowhouse/plugin-api";
import type { ReplyHeaders } from "rowhouse/plugin-api";

/** What the client reads of an error. Never a stack. */
export interface ToldError {
  readonly status: number;
  readonly message: string;
  readonly title: string | null;
  /** Of an error with a private message: the id that the log line carries too. */
  readonly errorId: string | null;
  /** The list of a refused write; null for every other error. */
  readonly mistakes: readonly string[] | null;
  readonly headers: ReplyHeaders;
}

/**
 * Reads status, message and headers off an error.
 *
 * @param showsPrivate private messages are shown: the setting `error_debug`
 */
export function describeError(error: Error, showsPrivate: boolean): ToldError {
  const isOurs = error instanceof RowhouseError;
  return {
    status: isOurs ? error.status : 500,
    message: showsPrivate ? error.message : publicMessage(error),
    title: isOurs ? error.title : null,
    errorId: isPrivateError(error) ? errorIdOf(error) : null,
    mistakes: error instanceof WriteRejected ? error.errors : null,
    headers: isOurs ? lowerCased(error.headers) : {},
  };
}

const lowerCased = (headers: Readonly<Record<string, string>>): ReplyHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
