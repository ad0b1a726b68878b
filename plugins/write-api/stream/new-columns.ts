import type { NewColumn } from "../create-request.js";
import { SeenColumns, typeFor } from "../infer-columns.js";
import type { Kind } from "../infer-columns.js";
import type { JsonObject } from "../json-value.js";

/** Columns that rows have and the table has not, with types that fit all rows. */
export interface NewColumns {
  see(row: JsonObject): void;
  columns(): readonly NewColumn[];
}

/** No row brings a new one. */
export const noNewColumns: NewColumns = { see: () => undefined, columns: () => [] };

/** Types by what the values are. */
export function newColumnsOfValues(known: ReadonlySet<string>): NewColumns {
  const seen = new SeenColumns();
  const isNew = (column: string): boolean => !known.has(column);
  return { see: (row) => seen.add(row, isNew), columns: () => seen.columns() };
}

/** Types by what the texts spell: numbers that come out again as they went in. */
export function newColumnsOfTexts(known: ReadonlySet<string>): NewColumns {
  const kinds = new Map<string, Set<Kind>>();
  return {
    see(row) {
      for (const [column, value] of row) {
        if (known.has(column)) continue;
        const seen = kinds.get(column) ?? new Set<Kind>();
        kinds.set(column, seen);
        if (typeof value === "string") seen.add(kindOf(value));
      }
    },
    columns: () => [...kinds].map(([name, seen]) => ({ name, type: typeFor(seen) })),
  };
}

const INTEGER = /^-?(?:0|[1-9]\d{0,17})$/;
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?$/;

function kindOf(text: string): Kind {
  if (INTEGER.test(text)) return Number.isSafeInteger(Number(text)) ? "integer" : "wide";
  return NUMBER.test(text) ? "real" : "text";
}
