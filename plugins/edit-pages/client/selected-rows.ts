import { columnsOf, keyOf, refreshRows, rowsOf, rowsTable, type RowPlace } from "rowhouse/browser";
import { textOf } from "./cell-value.js";
import { readRows, type StoredRow } from "./stored-row.js";

/** A change of a row by another client. */
export type OtherChange =
  | { readonly row: string; readonly column: string; readonly before: string; readonly now: string }
  | { readonly row: string; readonly gone: "deleted" | "not on this page" };

/** How operations name a row that must have the version that was read. */
export interface ReadVersion {
  readonly key: readonly string[];
  readonly if_match: string;
}

/** Selected rows with the versions that the visitor has seen, so that nothing newer is overwritten or deleted. */
export class SelectedRows {
  /** Rows that other clients have changed. They are written only if the visitor says so. */
  #conflicts: ReadonlySet<RowPlace> = new Set();

  private constructor(
    private readonly rows: readonly RowPlace[],
    private stored: readonly (StoredRow | null)[],
    /** What other clients have changed since the page was loaded, for each row. */
    private readonly earlier: ReadonlyMap<RowPlace, readonly OtherChange[]>,
  ) {}

  /** Reads the versions, then the page again: what it shows is at least as new. @throws WriteRefused */
  static async read(rows: readonly RowPlace[]): Promise<SelectedRows> {
    const shown = shownTexts(rows);
    const stored = await readRows(rows);
    await refreshRows();
    const now = shownTexts(rowsOf(rowsTable() ?? document.createElement("table")));
    const changes = rows.map((row, index) => {
      const fresh = now.get(row.href);
      if (stored[index] === null) return [{ row: nameOf(row), gone: "deleted" } as const];
      if (fresh === undefined) return [{ row: nameOf(row), gone: "not on this page" } as const];
      return differences(nameOf(row), shown.get(row.href), fresh);
    });
    return new SelectedRows(rows, stored, new Map(rows.map((row, index) => [row, changes[index] ?? []])));
  }

  /** What other clients have changed since the page was loaded. */
  get changedBefore(): readonly OtherChange[] {
    return [...this.earlier.values()].flat();
  }

  /** Leaves out the rows that other clients have changed since the page was loaded. @returns their changes */
  leaveOutChanged(): readonly OtherChange[] {
    const changed = this.chosen(true).filter((row) => (this.earlier.get(row) ?? []).length > 0);
    this.#conflicts = new Set([...this.#conflicts, ...changed]);
    return changed.flatMap((row) => this.earlier.get(row) ?? []);
  }

  /** The rows that are written. */
  chosen(includesConflicts: boolean): readonly RowPlace[] {
    return this.rows.filter(
      (row, index) => this.stored[index] !== null && (includesConflicts || !this.#conflicts.has(row)),
    );
  }

  /** Operations with these are refused if a row has changed since it was read. */
  versions(includesConflicts: boolean): readonly ReadVersion[] {
    return this.chosen(includesConflicts).map((row) => ({
      key: keyOf(row) ?? [],
      if_match: this.stored[this.rows.indexOf(row)]?.version ?? "",
    }));
  }

  /**
   * Reads the rows again after a refusal.
   *
   * @param column whose changes are of interest; those of others are returned where it is the same
   * @returns what other clients have changed
   */
  async reread(column: string | null = null): Promise<readonly OtherChange[]> {
    const before = this.stored;
    const now = await readRows(this.rows);
    const changed = this.rows.filter((_, index) => now[index]?.version !== before[index]?.version);
    this.stored = now;
    this.#conflicts = new Set([...this.#conflicts, ...changed]);
    await refreshRows();
    return changed.flatMap((row) => {
      const index = this.rows.indexOf(row);
      return storedDifferences(nameOf(row), column, [before[index] ?? null, now[index] ?? null]);
    });
  }
}

const nameOf = (row: RowPlace): string => keyOf(row)?.join(", ") ?? "";

type Texts = ReadonlyMap<string, string>;

const textIn = (cell: HTMLTableCellElement | undefined): string =>
  // Numbers and times have the stored value as their title.
  cell?.querySelector<HTMLElement>("[title]")?.title || cell?.title || (cell?.textContent.trim() ?? "");

/** The values that the page shows, by the address of the row and the name of the column. */
function shownTexts(rows: readonly RowPlace[]): ReadonlyMap<string | null, Texts> {
  const table = rowsTable();
  const columns = table === null ? [] : columnsOf(table).filter(({ isKey, name }) => !isKey && name !== "");
  return new Map(
    rows.map(({ element, href }) => [
      href,
      new Map(columns.map(({ name, index }) => [name, textIn(element.cells[index])])),
    ]),
  );
}

const differences = (row: string, before: Texts = new Map(), now: Texts): readonly OtherChange[] =>
  [...now].flatMap(([column, text]) => {
    const old = before.get(column) ?? text;
    return old === text ? [] : [{ row, column, before: old, now: text }];
  });

const textsOf = (stored: StoredRow | null): Texts =>
  new Map(Object.entries(stored?.values ?? {}).map(([name, value]) => [name, textOf(value) ?? "bytes"]));

/** The change of `column`; if there is none, those of other columns. */
function storedDifferences(
  row: string,
  column: string | null,
  [before, now]: readonly [StoredRow | null, StoredRow | null],
): readonly OtherChange[] {
  if (now === null) return [{ row, gone: "deleted" }];
  const all = differences(row, textsOf(before), textsOf(now));
  const own = all.filter((one) => "column" in one && one.column === column);
  return own.length > 0 ? own : all;
}
