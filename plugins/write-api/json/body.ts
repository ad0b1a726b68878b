import { WriteRejected, parseJsonTree, RawJson, jsonText, reply } from "rowhouse/plugin-api";
import type { Visit, Reply } from "rowhouse/plugin-api";
import { isObject } from "./cell-values.js";
import type { JsonObject, JsonValue } from "./cell-values.js";

type Asked = Pick<Visit, "rowhouse" | "request">;

// Skips a byte order mark.
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * The body as JSON, whatever its content type.
 *
 * @throws PayloadTooLarge
 * @throws WriteRejected when it is not JSON
 */
export async function jsonBody({ request }: Asked): Promise<JsonValue> {
  return parseJson(decoded(await request.body()));
}

function decoded(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidJson("the body is not UTF-8 text");
  }
}

/**
 * The body as a JSON object.
 *
 * @param refusal what is said of other JSON
 * @throws WriteRejected
 */
export async function objectBody(asked: Asked, refusal: string): Promise<JsonObject> {
  const document = await jsonBody(asked);
  if (!isObject(document)) throw new WriteRejected([refusal]);
  return document;
}

/** @throws WriteRejected when the body is not declared to be JSON */
export function requireJsonType({ request }: Asked): void {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") {
    throw new WriteRejected(["Invalid content-type, must be application/json"]);
  }
}

/** Parses what a client sent. @throws WriteRejected that says what was expected, and where */
export function parseJson(text: string): JsonValue {
  try {
    return parseJsonTree(text);
  } catch (error) {
    throw error instanceof SyntaxError ? invalidJson(error.message) : error;
  }
}

/** A refusal of a body that is no JSON. */
export const invalidJson = (reason: string): WriteRejected => new WriteRejected([`Invalid JSON: ${reason}`]);

/** `{"ok": true}` with further members behind it. */
export const done = (members: Readonly<Record<string, unknown>> = {}, status = 200): Reply =>
  reply.json(jsonText({ ok: true, ...members }), status);

/** `{"ok": true}`, with `rows` where there are any to show. */
export const doneWithRows = (rows: readonly string[] | null, status = 200): Reply =>
  done(rows === null ? {} : { rows: listOf(rows) }, status);

/** Finished JSON texts as one JSON list. */
export const listOf = (rows: readonly string[]): RawJson => new RawJson(`[${rows.join(", ")}]`);
