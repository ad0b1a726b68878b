import { WriteRejected } from "rowhouse/plugin-api";
import type { Visit } from "rowhouse/plugin-api";
import { invalidJson, parseJson } from "./json-parser.js";
import { isObject } from "./json-value.js";
import type { JsonObject, JsonValue } from "./json-value.js";

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
