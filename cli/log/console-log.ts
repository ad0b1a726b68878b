import { RowhouseError, type Log } from "rowhouse/plugin-api";
import { coloured } from "./colour.js";

/** Messages go to standard error, one line each if possible. Standard output contains only the result. */
export const consoleLog: Log = {
  info: (message) => process.stderr.write(`${message}\n`),
  warn: (message) => process.stderr.write(`${coloured("yellow", "Warning:")} ${message}\n`),
  error: (message, cause) => process.stderr.write(`${message}${causeText(cause)}\n`),
};

/** Only errors. */
export const quietLog: Log = { ...consoleLog, info: () => undefined, warn: () => undefined };

/** The message of a RowhouseError is complete. Other errors are logged with their stack trace. */
function causeText(cause: unknown): string {
  if (cause === undefined || cause === null) return "";
  if (cause instanceof RowhouseError && cause.cause === undefined) return `: ${cause.message}`;
  return cause instanceof Error ? `\n${cause.stack ?? cause.message}` : `: ${String(cause)}`;
}
