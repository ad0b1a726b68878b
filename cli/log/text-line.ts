import type { RequestLine } from "rowhouse/plugin-api/kernel";
import { coloured } from "./colour.js";

type Line = Readonly<Record<string, unknown>>;

/** Moves the cursor, changes colours or begins a line of its own: not from clients. */
const CONTROL = /\p{Cc}/gu;
const MESSAGES_MAY_CONTAIN = /[\n\t]/;

/** A message of the log in JSON as text for people. */
export function textLine(json: string): string {
  return `${messageText(JSON.parse(json) as Line)}\n`;
}

/** `GET /library/books.json 200 3.1 ms 5120 B ann, SQL 1.2 ms, miss` */
export function requestText(line: RequestLine): string {
  const { method, path, status, ms, bytes, actor, sql_ms: sqlMs, cache, incomplete } = line;
  const who = actor === null ? "" : ` ${escaped(actor)}`;
  const sql = sqlMs === undefined ? "" : `, SQL ${sqlMs} ms`;
  const ending = incomplete === true ? ", incomplete" : "";
  return (
    `${escaped(method)} ${escaped(path)} ${status} ${ms} ms ${bytes} B${who}${sql}` +
    `${cache === undefined ? "" : `, ${cache}`}${ending}`
  );
}

function messageText({ level, msg, error, stack }: Line): string {
  const message = withoutControl(String(msg));
  if (level === "warn") return `${coloured("yellow", "Warning:")} ${message}`;
  const text = withoutControl(String(error ?? ""));
  const trace = withoutControl(String(stack ?? ""));
  // Messages about requests have the error already.
  const isSaid = message.includes(text);
  const whole = isSaid || trace.includes(text) ? message : `${message}: ${text}`;
  if (trace === "") return whole;
  // An error of a template has many lines.
  const [summary = ""] = text.split("\n");
  return `${whole}\n${isSaid ? trace.replace(text, () => summary) : trace}`;
}

const escaped = (text: string): string => text.replace(CONTROL, escape);

const withoutControl = (text: string): string =>
  text.replace(CONTROL, (character) =>
    MESSAGES_MAY_CONTAIN.test(character) ? character : escape(character),
  );

const escape = (character: string): string => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
