import { BadRequest, jsonComplaint } from "rowhouse/plugin-api";
import type { Request, SqlInput } from "rowhouse/plugin-api";
import { jsonMembers } from "./json-members.js";
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
  const members = jsonMembers(text);
  if (members === null) throw new BadRequest(`Invalid JSON: ${jsonComplaint(text) ?? "too deeply nested"}`);
  return new Map(members.map(([name, value, digits]) => [name, digits ?? value]));
}
