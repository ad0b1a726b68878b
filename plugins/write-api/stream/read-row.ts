import type { JsonObject } from "../json-value.js";

/** One row as it was read, or what kept it from being read; `line` is null where nobody counted lines. */
export type ReadRow =
  | { readonly line: number | null; readonly row: JsonObject }
  | { readonly line: number | null; readonly problem: string };

/** What a body holds, a handful of rows at a time. */
export type RowSource = AsyncIterable<readonly ReadRow[]>;
