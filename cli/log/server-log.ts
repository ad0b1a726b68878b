import { pino, type DestinationStream, type Logger } from "pino";
import { RowhouseError, type Log } from "rowhouse/plugin-api";
import { isOutOfService } from "rowhouse/plugin-api/errors";
import type { RequestLine } from "rowhouse/plugin-api/kernel";
import { createRedactor, type Redactor } from "./redactor.js";
import { backgroundLines, directLines } from "./standard-error.js";
import { requestText, textLine } from "./text-line.js";

/** What the log of a server writes, and how. */
export interface ServerLogOptions {
  readonly format: "json" | "text";
  readonly level: LogLevel;
  /** Values that are never written. */
  readonly secrets: readonly string[];
}

export type LogLevel = "info" | "warn" | "error";

export interface ServerLog extends Log, Pick<Redactor, "conceal"> {}

/** Writes to standard error: one JSON object, or one readable line, for each message and each request. */
export function serverLog({ format, level, secrets }: ServerLogOptions): ServerLog {
  const redactor = createRedactor(secrets);
  // A message is rare, and may be the last one of the process.
  const direct = directLines();
  const messages = createLogger(level, format === "json" ? direct : asText(direct), SECRET_FIELDS);
  const logRequest = requestLogger(format, level);
  const write = (kind: LogLevel, fields: object, message: string): void =>
    messages[kind](redactedFields(fields, redactor), redactor.redact(message));
  return {
    conceal: redactor.conceal,
    info: (message, fields = {}) => write("info", fields, message),
    warn: (message, fields = {}) => write("warn", fields, message),
    error: (message, cause, fields = {}) => write("error", { ...fields, ...causeFields(cause) }, message),
    ...(level === "info" && { request: (line) => logRequest(withoutSecrets(line, redactor)) }),
  };
}

/**
 * Writes lines of requests in the background. A line of text is made from its members, not from JSON: on a small page
 * that would take a tenth of the time of the whole request. The members are known, so they need not be searched.
 */
function requestLogger(format: ServerLogOptions["format"], level: LogLevel): (line: RequestLine) => void {
  const lines = collected(backgroundLines());
  if (format === "text") return (line) => lines.write(`${requestText(line)}\n`);
  const logger = createLogger(level, lines, []);
  return (line) => logger.info(line, "request");
}

const COLLECT_MS = 20;

/** Writes what came within some milliseconds at once: each write takes as long as a short request. */
function collected(destination: ReturnType<typeof backgroundLines>): DestinationStream {
  let waiting = "";
  const writeWaiting = (): void => destination.writeLast(waiting);
  const flush = (): void => {
    process.off("exit", writeWaiting);
    destination.write(waiting);
    waiting = "";
  };
  return {
    write: (line) => {
      if (waiting === "") {
        setTimeout(flush, COLLECT_MS);
        // Removed after each flush: every reload makes another log.
        process.once("exit", writeWaiting);
      }
      waiting += line;
    },
  };
}

const createLogger = (level: LogLevel, destination: DestinationStream, redact: readonly string[]): Logger =>
  pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      ...(redact.length > 0 && { redact: { paths: [...redact], censor: "[redacted]" } }),
    },
    destination,
  );

/** Members of fields that plugins log: headers are the usual place of secrets. */
const SECRET_FIELDS = [
  "authorization",
  "cookie",
  "set-cookie",
  "x-csrftoken",
  "csrftoken",
  "password",
  "secret",
  "token",
].flatMap((name) => [`["${name}"]`, `*["${name}"]`]);

const asText = (destination: DestinationStream): DestinationStream => ({
  write: (json) => void destination.write(textLine(json)),
});

const redactedFields = (fields: object, { redact }: Redactor): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? redact(value) : value]),
  );

/** Clients choose the path and the id; an actor id may come from a plugin. */
const withoutSecrets = (line: RequestLine, { redact }: Redactor): RequestLine => ({
  ...line,
  request_id: redact(line.request_id),
  path: redact(line.path),
  actor: line.actor === null ? null : redact(line.actor),
});

/**
 * The message of a RowhouseError is complete. Other errors are logged with their stack trace, except those of a database
 * that is unavailable: every request would have the same, of Rowhouse alone.
 */
function causeFields(cause: unknown): { readonly error?: string; readonly stack?: string } {
  if (cause === undefined || cause === null) return {};
  if (!(cause instanceof Error)) return { error: String(cause) };
  const error = cause.message;
  if (cause instanceof RowhouseError && cause.cause === undefined) return { error };
  const stack = isOutOfService(cause) ? "" : (cause.stack ?? error);
  return { error, stack: `${stack}${origin(cause.cause)}`.trimStart() };
}

/** What the operating system or a database server said. Clients read the message of Rowhouse only. */
const origin = (cause: unknown): string => (cause instanceof Error ? `\nCaused by ${String(cause)}` : "");
