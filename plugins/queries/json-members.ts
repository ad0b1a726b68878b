import { jsonText } from "rowhouse/plugin-api";
import type { SqlInput } from "rowhouse/plugin-api";

/** A member of a JSON object: objects and arrays as their JSON text; `digits` is a number as it was written. */
export type JsonMember = readonly [name: string, value: SqlInput, digits: string | null];

/** The members of the JSON object in `text`; null when it is no object, or nested beyond all measure. */
export function jsonMembers(text: string): readonly JsonMember[] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isObject(parsed)) return null;
    const asWritten: unknown = JSON.parse(text.replace(STRING_OR_NUMBER, quoteNumber));
    return Object.entries(parsed).map(([name, value]): JsonMember => {
      const isNumber = typeof value === "number" && isObject(asWritten);
      return [name, boundForm(value), isNumber ? String(asWritten[name]) : null];
    });
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function boundForm(value: unknown): SqlInput {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return value === null || value === undefined ? null : jsonText(value);
}

/** Numbers become strings before they are parsed, so that each keeps the digits it was written with. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
const quoteNumber = (token: string): string => (token.startsWith('"') ? token : `"${token}"`);
