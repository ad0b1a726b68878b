import type { NewColumn } from "../create-request.js";
import type { ColumnType } from "../declared.js";
import { SeenColumns } from "../infer-columns.js";
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
  const types = new Map<string, ColumnType | null>();
  return {
    see(row) {
      for (const [column, value] of row) {
        if (known.has(column)) continue;
        const type = types.get(column) ?? null;
        types.set(column, typeof value === "string" ? wider(type, value) : type);
      }
    },
    columns: () => [...types].map(([name, type]) => ({ name, type: type ?? "text" })),
  };
}

const INTEGER = /^-?(?:0|[1-9]\d{0,17})$/;
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?$/;

/** The type that holds this text, too. */
function wider(type: ColumnType | null, text: string): ColumnType {
  if (type === "text") return "text";
  if (INTEGER.test(text)) return type ?? "integer";
  return NUMBER.test(text) ? "float" : "text";
}
