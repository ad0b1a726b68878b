import { Real } from "../engine/values.js";
import { withoutEndZeros } from "./numbers.js";
import { jsonString, jsonText } from "./text.js";
import type { JsonObject, JsonValue } from "./tree.js";

const TEXTS_PER_PIECE = 500;

/**
 * The JSON text of a parsed document in pieces of some hundred values: a document may hold a million, and the event loop
 * answers other requests between the pieces if `joinedInSlices` joins them.
 *
 * @example
 * [...jsonPieces(parseJsonTree('{"a":[1,2.0]}'))].join(""); // '{"a": [1, 2.0]}'
 * @param quote writes texts and names; default `jsonString`
 */
export function* jsonPieces(value: JsonValue, quote = jsonString): Generator<string, void> {
  const texts: string[] = [];
  if (isContainer(value)) yield* writeMembers(value, texts, quote);
  else texts.push(scalarJson(value, quote));
  yield texts.join("");
}

/** Adds the text of an object or list to `texts`, which it yields and empties when they are many. */
function* writeMembers(
  container: JsonObject | readonly JsonValue[],
  texts: string[],
  quote: (text: string) => string,
): Generator<string, void> {
  const [opening, closing] = container instanceof Map ? ["{", "}"] : ["[", "]"];
  let before = opening;
  for (const [key, item] of container.entries()) {
    if (typeof key === "string") before += `${quote(key)}: `;
    if (isContainer(item)) {
      texts.push(before);
      yield* writeMembers(item, texts, quote);
    } else {
      texts.push(before + scalarJson(item, quote));
    }
    before = ", ";
    if (texts.length < TEXTS_PER_PIECE) continue;
    yield texts.join("");
    texts.length = 0;
  }
  texts.push(before === opening ? opening + closing : closing);
}

const isContainer = (value: JsonValue): value is JsonObject | readonly JsonValue[] =>
  value instanceof Map || Array.isArray(value);

function scalarJson(value: JsonValue, quote: (text: string) => string): string {
  if (typeof value === "string") return quote(value);
  return jsonText(value instanceof Real ? withoutEndZeros(value) : value);
}
