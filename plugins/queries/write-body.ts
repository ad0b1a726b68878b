import { BadRequest } from "rowhouse/plugin-api";
import type { Request, SqlInput } from "rowhouse/plugin-api";
import { parseObject, typedValue } from "./parameters.js";
import type { Values } from "./parameters.js";

/**
 * Parameters out of a body: a JSON object where it looks like one, else form fields, the first of a name.
 * Text and numbers are bound as text, the rest of JSON by its type.
 *
 * @throws BadRequest for what looks like a JSON object and is none
 */
export async function bodyValues(request: Request, maxBytes: number): Promise<Values> {
  const text = (await request.body(maxBytes)).toString("utf8").trim();
  if (text.startsWith("{") && text.endsWith("}")) return jsonValues(text);
  const values = new Map<string, SqlInput>();
  for (const [name, value] of new URLSearchParams(text)) if (!values.has(name)) values.set(name, value);
  return values;
}

function jsonValues(text: string): Values {
  const parsed = parseObject(text);
  const asWritten = parseObject(text.replace(STRING_OR_NUMBER, quoteNumber));
  if (parsed === null || asWritten === null) throw new BadRequest(`Invalid JSON: ${reasonFor(text)}`);
  const entries = Object.entries(parsed).map(([name, value]): [string, SqlInput] => [
    name,
    typeof value === "number" ? String(asWritten[name]) : typedValue(value),
  ]);
  return new Map(entries);
}

/** Numbers become strings before they are parsed, so that each keeps the digits it was written with. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
const quoteNumber = (token: string): string => (token.startsWith('"') ? token : `"${token}"`);

function reasonFor(text: string): string {
  try {
    JSON.parse(text);
    return "not an object";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
