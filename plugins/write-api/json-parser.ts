import { WriteRejected, parseJsonTree } from "rowhouse/plugin-api";
import type { JsonValue } from "./json-value.js";

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
