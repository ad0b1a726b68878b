import { RowhouseError, type Log } from "rowhouse/plugin-api";
import { paint } from "./paint.js";

/** Everything said beside the answer itself goes to standard error, one line a message where that is possible. */
export const consoleLog: Log = {
  info: (message) => process.stderr.write(`${message}\n`),
  warn: (message) => process.stderr.write(`${paint("yellow", "Warning:")} ${message}\n`),
  error: (message, cause) => process.stderr.write(`${message}${causeText(cause)}\n`),
};

/** Our own errors say all there is to know in their message; of anything else whoever mends it needs the place. */
function causeText(cause: unknown): string {
  if (cause === undefined || cause === null) return "";
  if (cause instanceof RowhouseError && cause.cause === undefined) return `: ${cause.message}`;
  return cause instanceof Error ? `\n${cause.stack ?? cause.message}` : `: ${String(cause)}`;
}
