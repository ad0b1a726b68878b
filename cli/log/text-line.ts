import { coloured } from "../colour.js";

type Line = Readonly<Record<string, unknown>>;

/** Moves the cursor, changes colours or begins a line of its own: not from clients. */
const CONTROL = /\p{Cc}/gu;
const MESSAGES_MAY_CONTAIN = /[\n\t]/;

/** A line of the log in JSON as text for people. */
export function textLine(json: string): string {
  const line = JSON.parse(json) as Line;
  return `${line["msg"] === "request" && "status" in line ? requestText(line) : messageText(line)}\n`;
}

/** `GET /library/books.json 200 3.1 ms 5120 B ann, SQL 1.2 ms, miss` */
function requestText(line: Line): string {
  const { method, path, status, ms, bytes, actor, sql_ms: sqlMs, cache, incomplete } = line;
  const facts = [
    `${escaped(method)} ${escaped(path)} ${String(status)} ${String(ms)} ms ${String(bytes)} B${actor === null ? "" : ` ${escaped(actor)}`}`,
    ...(sqlMs === undefined ? [] : [`SQL ${String(sqlMs)} ms`]),
    ...(cache === undefined ? [] : [String(cache)]),
    ...(incomplete === true ? ["incomplete"] : []),
  ];
  return facts.join(", ");
}

function messageText({ level, msg, error, stack }: Line): string {
  const message = withoutControl(String(msg));
  if (level === "warn") return `${coloured("yellow", "Warning:")} ${message}`;
  if (stack !== undefined) return `${message}\n${withoutControl(String(stack))}`;
  return error === undefined ? message : `${message}: ${withoutControl(String(error))}`;
}

const escaped = (value: unknown): string => String(value).replace(CONTROL, escape);

const withoutControl = (text: string): string =>
  text.replace(CONTROL, (character) =>
    MESSAGES_MAY_CONTAIN.test(character) ? character : escape(character),
  );

const escape = (character: string): string => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
