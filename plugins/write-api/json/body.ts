import { WriteRejected, parseJsonTree, RawJson, jsonText, reply } from "rowhouse/plugin-api";
import type { Visit, Reply } from "rowhouse/plugin-api";
import { isObject } from "./cell-values.js";
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
  return parseJson(decodeUtf8(await request.body()));
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

/** Parses JSON from a client. @throws WriteRejected with what was expected, and where */
export function parseJson(text: string): JsonValue {
  try {
    return parseJsonTree(text);
  } catch (error) {
    throw error instanceof SyntaxError ? invalidJson(error.message) : error;
  }
}

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
