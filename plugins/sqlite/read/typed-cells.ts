import { Real, type SqlValue } from "rowhouse/plugin-api";
import { ROW_SEPARATOR } from "./row-encoding.js";
import { readReal } from "./wire-format.js";

/** A cell as `typedCell` of `row-encoding.ts` writes it. */
type CarriedCell =
  | null
  | number
  | string
  | readonly [digits: string]
  | { readonly integer: string }
  | { readonly blob: string };

/** Rows as SQLite wrote them, one text for all, as typed cells. */
export function typedRows(text: string): SqlValue[][] {
  const rows = JSON.parse(`[${text.replaceAll(ROW_SEPARATOR, ",")}]`) as CarriedCell[][];
  return rows.map((row) => row.map(decodeCell));
}

function decodeCell(cell: CarriedCell): SqlValue {
  if (typeof cell !== "object" || cell === null) return cell;
  if (isReal(cell)) return new Real(readReal(cell[0]));
  return "integer" in cell ? BigInt(cell.integer) : Buffer.from(cell.blob, "hex");
}

const isReal = (cell: object): cell is readonly [string] => Array.isArray(cell);
