import {
  jsonText,
  reply,
  WriteRejected,
  type Reply,
  type Request,
  type SqlValue,
  type Visit,
} from "rowhouse/plugin-api";
import { Real, type DefaultValues } from "rowhouse/plugin-api/engine";
import { parseJsonTree, parseJsonTreeInSlices, RawJson } from "rowhouse/plugin-api/json";
import { quoteText } from "rowhouse/plugin-api/sql";
import { parseColumnType } from "../rows/new-columns.js";
import type { ColumnType } from "../rows/new-columns.js";
import { cellValue, isList, isObject, requireFewColumns } from "./cell-values.js";
import type { JsonObject, JsonValue } from "./cell-values.js";

type BodyContext = Pick<Visit, "rowhouse" | "request">;

// TextDecoder removes a byte order mark.
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The body as JSON, whatever its content type.
 *
 * @throws PayloadTooLarge
 * @throws WriteRejected when it is not JSON
 */
export async function jsonBody({ request }: BodyContext): Promise<JsonValue> {
  return parseJsonInSlices(decodeUtf8(await request.body()), request);
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidJson("the body is not UTF-8 text");
  }
}

/**
 * The body as a JSON object.
 *
 * @param refusal the message for JSON that is not an object
 * @throws WriteRejected
 */
export async function objectBody(context: BodyContext, refusal: string): Promise<JsonObject> {
  const document = await jsonBody(context);
  if (!isObject(document)) throw new WriteRejected([refusal]);
  return document;
}

/** @throws WriteRejected when the body is not declared to be JSON */
export function requireJsonType({ request }: BodyContext): void {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") {
    throw new WriteRejected(["Invalid content-type, must be application/json"]);
  }
}

/** The format of a streamed body. */
export type StreamFormat = "ndjson" | "csv" | "tsv";

const FORMATS: ReadonlyMap<string, StreamFormat> = new Map<string, StreamFormat>([
  ["application/x-ndjson", "ndjson"],
  ["application/ndjson", "ndjson"],
  ["application/jsonl", "ndjson"],
  ["text/csv", "csv"],
  ["text/tab-separated-values", "tsv"],
]);

/** The format of a streamed body by its content type; null for other types. */
export function streamFormat({ headers }: Pick<Request, "headers">): StreamFormat | null {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  return FORMATS.get(type.trim().toLowerCase()) ?? null;
}

/** Are the rows of this insert to be upserted? @throws WriteRejected */
export const isUpsertStream = ({ headers, query }: Request): boolean =>
  streamFormat({ headers }) !== null && isFlagSet(query, "upsert");

/** True for `?alter`, `?alter=1`, `?alter=on` and so on. @throws WriteRejected for a value that is not a flag */
export function isFlagSet(query: URLSearchParams, name: string): boolean {
  const value = query.get(name)?.toLowerCase();
  if (value === undefined) return false;
  if (["", "1", "on", "true", "yes"].includes(value)) return true;
  if (["0", "off", "false", "no"].includes(value)) return false;
  throw new WriteRejected([`"${name}" must be on or off`]);
}

/** Parses JSON from a client. @throws WriteRejected with what was expected, and where */
export function parseJson(text: string): JsonValue {
  try {
    return parseJsonTree(text);
  } catch (error) {
    throw rejected(error);
  }
}

/** {@link parseJson} for texts that may be long. @throws WriteRejected */
export async function parseJsonInSlices(
  text: string,
  client: Pick<Partial<Request>, "signal">,
): Promise<JsonValue> {
  try {
    return await parseJsonTreeInSlices(text, client);
  } catch (error) {
    throw rejected(error);
  }
}

const rejected = (error: unknown): unknown =>
  error instanceof SyntaxError ? invalidJson(error.message) : error;

/** The error for a body that is not JSON. */
export const invalidJson = (reason: string): WriteRejected => new WriteRejected([`Invalid JSON: ${reason}`]);

/** `{"ok": true}`, followed by `members`. */
export const okReply = (members: Readonly<Record<string, unknown>> = {}, status = 200): Reply =>
  reply.json(jsonText({ ok: true, ...members }), status);

/** `{"ok": true}`, with `rows` if they were requested. */
export const okReplyWithRows = (rows: readonly string[] | null, status = 200): Reply =>
  okReply(rows === null ? {} : { rows: jsonList(rows) }, status);

/** JSON texts as one JSON list. */
export const jsonList = (rows: readonly string[]): RawJson => new RawJson(`[${rows.join(", ")}]`);

/** The arguments of one operation. Every reader throws WriteRejected for an invalid value. */
export class Arguments {
  constructor(private readonly given: JsonObject) {}

  /** @throws WriteRejected naming the arguments that are not `known` */
  allowOnly(...known: readonly string[]): this {
    requireKnownMembers(this.given, known);
    return this;
  }

  has(name: string): boolean {
    return this.given.has(name);
  }

  get(name: string): JsonValue {
    return this.given.get(name) ?? null;
  }

  /** A required name. */
  name(argument: string): string {
    const name = this.given.get(argument);
    if (typeof name !== "string" || name === "") throw new WriteRejected([`"${argument}" must be a name`]);
    return name;
  }

  /** A required name for a new column. */
  newName(argument: string): string {
    const name = this.name(argument);
    if (!/[[\]]/.test(name)) return name;
    throw new WriteRejected(["'[' and ']' cannot be used in column names"]);
  }

  optionalName(argument: string): string | null {
    return this.has(argument) ? this.name(argument) : null;
  }

  names(argument: string): readonly string[] {
    const names = this.given.get(argument);
    if (isList(names)) requireFewColumns(names.length);
    if (isList(names) && names.every((name): name is string => typeof name === "string" && name !== "")) {
      return names;
    }
    throw new WriteRejected([`"${argument}" must be a list of names`]);
  }

  flag(argument: string): boolean | null {
    const flag = this.given.get(argument) ?? null;
    if (flag === null || typeof flag === "boolean") return flag;
    throw new WriteRejected([`"${argument}" must be true or false`]);
  }

  type(): ColumnType | null {
    const type = this.given.get("type");
    return type === undefined || type === null ? null : parseColumnType(type);
  }

  /** SQL of a default: null to remove it, undefined if the request does not mention it. */
  defaultSql(defaults: DefaultValues): string | null | undefined {
    if (this.has("default") && this.has("default_expr")) {
      throw new WriteRejected(['Cannot use "default" and "default_expr" at the same time']);
    }
    if (this.has("default_expr")) return expressionSql(this.get("default_expr"), defaults);
    return this.has("default") ? this.literal(this.get("default"), defaults) : undefined;
  }

  /** SQL of a value of the column; null for NULL. */
  literal(value: JsonValue, defaults: DefaultValues): string | null {
    const isOfNumbers = ["float", "integer"].includes(this.type() ?? "");
    return literalSql(cellValue(value), defaults, isOfNumbers);
  }
}

/** SQL of a list of values for a CHECK: null to remove it, undefined if the request does not mention it. @throws WriteRejected */
export function choicesSql(args: Arguments, defaults: DefaultValues): readonly string[] | null | undefined {
  const choices = args.get("choices");
  if (choices === null) return args.has("choices") ? null : undefined;
  const sql = isList(choices) ? choices.map((choice) => choiceSql(choice, args, defaults)) : [];
  if (sql.length > 0) return sql;
  throw new WriteRejected(['"choices" must be a list of texts and numbers']);
}

function choiceSql(choice: JsonValue, args: Arguments, defaults: DefaultValues): string {
  const isValue = typeof choice === "string" || typeof choice === "number" || typeof choice === "bigint";
  const sql = isValue || choice instanceof Real ? args.literal(choice, defaults) : null;
  if (sql !== null) return sql;
  throw new WriteRejected(['"choices" must be a list of texts and numbers']);
}

function expressionSql(name: JsonValue, { expressions }: DefaultValues): string {
  const known = Object.entries(expressions).find(([one]) => one === name);
  if (known !== undefined) return known[1];
  throw new WriteRejected([`"default_expr" must be one of ${Object.keys(expressions).join(", ")}`]);
}

function literalSql(value: SqlValue, { bytes, real }: DefaultValues, isOfNumbers: boolean): string | null {
  if (value === null) return null;
  if (value instanceof Real) return isOfNumbers && real ? real(value.value) : String(value);
  if (value instanceof Uint8Array) return bytes(value);
  if (typeof value !== "string") return String(value);
  if (value.includes("\0")) throw new WriteRejected(["A default cannot hold the character NUL"]);
  return quoteText(value);
}

/** @throws WriteRejected naming every member of `document` that is not `known` */
export function requireKnownMembers(document: JsonObject, known: readonly string[]): void {
  const unknown = [...document.keys()].filter((key) => !known.includes(key)).toSorted();
  if (unknown.length > 0) throw new WriteRejected([`Invalid parameter: ${quotedList(unknown)}`]);
}

/** `"a", "b"` */
export const quotedList = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");
