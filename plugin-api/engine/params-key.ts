import { jsonText } from "../json/text.js";
import type { SqlInput } from "./values.js";

/**
 * A text that differs for different values, as part of a cache key. JSON writes infinities like NULL, and bytes like text.
 *
 * @example
 * paramsKey({ p0: null }) === paramsKey({ p0: new Real(Infinity) }); // false
 */
export const paramsKey = (params: Readonly<Record<string, SqlInput>>): string =>
  jsonText(
    Object.entries(params).map(([name, value]) =>
      value instanceof Uint8Array ? [name, "bytes", Buffer.from(value).toString("hex")] : [name, value],
    ),
    "words",
  );
