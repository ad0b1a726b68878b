import { jsonText, reply, WriteRejected, type Reply, type Request, type Visit } from "rowhouse/plugin-api";
import {
  parseJsonTree,
  parseJsonTreeInSlices,
  RawJson,
  type JsonObject,
  type JsonValue,
} from "rowhouse/plugin-api/json";
import { isObject, truthy } from "./cell-values.js";

type BodyContext = Pick<Visit, "rowhouse" | "request">;

// TextDecoder removes a byte order mark.
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The body as JSON, whatever its content type.
 *
 * @throws PayloadTooLarge
 * @throws WriteRejected when it is not JSON
 */
async function jsonBody({ request }: BodyContext): Promise<JsonValue> {
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

/** The body of a request that needs none: null if it is no JSON object. @throws PayloadTooLarge */
export async function optionalBody(context: BodyContext): Promise<JsonObject | null> {
  try {
    const document = await jsonBody(context);
    return isObject(document) ? document : null;
  } catch (error) {
    if (error instanceof WriteRejected) return null;
    throw error;
  }
}

/** For writes of one row, which would ignore it, and write. @throws WriteRejected for `"dry_run": true` */
export function rejectDryRun(document: JsonObject | null): void {
  if (truthy(document?.get("dry_run")))
    throw new WriteRejected(['"dry_run" is for batches, alterations and writes by filters']);
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
const invalidJson = (reason: string): WriteRejected => new WriteRejected([`Invalid JSON: ${reason}`]);

/** `{"ok": true}`, followed by `members`. */
export const okReply = (members: Readonly<Record<string, unknown>> = {}, status = 200): Reply =>
  reply.json(jsonText({ ok: true, ...members }), status);

/** `{"ok": true}`, with `rows` if they were requested. */
export const okReplyWithRows = (rows: readonly string[] | null, status = 200): Reply =>
  okReply(rows === null ? {} : { rows: jsonList(rows) }, status);

/** `{"ok": true}` for a write of one row, with `"row_count": 0` if a trigger has kept the row as it was. */
export const okReplyForRow = (count: number, members: Readonly<Record<string, unknown>> = {}): Reply =>
  okReply(count === 0 ? { row_count: 0, ...members } : members);

/** JSON texts as one JSON list. */
export const jsonList = (rows: readonly string[]): RawJson => new RawJson(`[${rows.join(", ")}]`);

/** @throws WriteRejected naming every member of `document` that is not `known` */
export function requireKnownMembers(document: JsonObject, known: readonly string[]): void {
  const unknown = [...document.keys()].filter((key) => !known.includes(key)).toSorted();
  if (unknown.length > 0) throw new WriteRejected([`Invalid parameter: ${quotedList(unknown)}`]);
}

/** `"a", "b"` */
export const quotedList = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");
