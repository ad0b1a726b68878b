import { figure } from "./figures.js";
import type { Extent, RowTable } from "./row-table.js";

/** The notes of a page from which the limits leave something out. */
export interface RowsNote {
  /** `Showing 500 of 1,900 columns and 200 of 1,000 rows.` */
  readonly text: string;
  /** The number of shown rows if some are left out; null otherwise. */
  readonly rows: number | null;
}

/** Null if everything is shown. */
export function rowsNote({ found, valuesCut, shortened }: RowTable, shown: Extent): RowsNote | null {
  const parts = (["columns", "rows"] as const)
    .filter((what) => shown[what] < found[what])
    .map((what) => `${figure(shown[what])} of ${figure(found[what])} ${what}`);
  const sentences = [
    ...(parts.length > 0 ? [`Showing ${parts.join(" and ")}.`] : []),
    ...(shortened === null ? [] : [shortened]),
    ...(valuesCut ? ["Long values are cut."] : []),
  ];
  if (sentences.length === 0) return null;
  return { text: sentences.join(" "), rows: shown.rows < found.rows ? shown.rows : null };
}
