import { PluginError, RowhouseError, WriteRejected } from "rowhouse/plugin-api";
import type { ReplyHeaders } from "rowhouse/plugin-api";

/** What the client is told of an error. Never a stack. */
export interface ToldError {
  readonly status: number;
  readonly message: string;
  readonly title: string | null;
  /** The list of a refused write; null for every other error. */
  readonly mistakes: readonly string[] | null;
  readonly headers: ReplyHeaders;
}

/** Reads status, words and headers off an error. */
export function describeError(error: Error): ToldError {
  const isOurs = error instanceof RowhouseError;
  return {
    status: isOurs ? error.status : 500,
    message: publicMessage(error),
    title: isOurs ? error.title : null,
    mistakes: error instanceof WriteRejected ? error.errors : null,
    headers: isOurs ? lowerCased(error.headers) : {},
  };
}

/** Messages of the operating system name files, which are nobody's business. */
function publicMessage(error: Error): string {
  if (error instanceof PluginError) {
    const reason = error.cause instanceof Error ? publicMessage(error.cause) : String(error.cause);
    return `Plugin ${error.plugin} failed in ${error.hook}: ${reason}`;
  }
  return "syscall" in error ? "Internal server error" : error.message;
}

const lowerCased = (headers: Readonly<Record<string, string>>): ReplyHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
