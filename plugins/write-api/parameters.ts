import { WriteRejected } from "rowhouse/plugin-api";
import type { JsonObject } from "./json-value.js";

/** @throws WriteRejected naming every member of `document` that is not `known` */
export function requireKnown(document: JsonObject, known: readonly string[]): void {
  const unknown = [...document.keys()].filter((key) => !known.includes(key)).toSorted();
  if (unknown.length > 0) throw new WriteRejected([`Invalid parameter: ${quotedList(unknown)}`]);
}

/** `"a", "b"` */
export const quotedList = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ");
