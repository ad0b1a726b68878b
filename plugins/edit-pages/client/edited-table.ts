/** The table to which a column refers. */
export interface Reference {
  /** The address of the completion; null if there is none. */
  readonly completion: string | null;
  readonly table: string;
  /** The referenced column. */
  readonly key: string;
}

/** A column that can be written. */
export interface EditedColumn {
  readonly name: string;
  /** The declared type. */
  readonly type: string;
  readonly notNull: boolean;
  /** True if its type has no empty text; absent for others. */
  readonly lacksEmptyText?: boolean;
  readonly isKey: boolean;
  readonly choices: readonly string[] | null;
  readonly reference: Reference | null;
}

/** What the visitor may do with the rows of the page. */
export interface EditedTable {
  readonly mayInsert: boolean;
  readonly mayUpdate: boolean;
  readonly mayDelete: boolean;
  /** Deleting a row changes rows of other tables, which is not undone. */
  readonly deletesMore: boolean;
  readonly columns: readonly EditedColumn[];
}

/** Read from the page, where the server has put it; null for visitors who may change nothing. */
export function editedTable(): EditedTable | null {
  const given = document.querySelector<HTMLElement>(".edit-rights")?.dataset;
  if (given === undefined) return null;
  const may = (given["may"] ?? "").split(" ");
  return {
    mayInsert: may.includes("insert-row"),
    mayUpdate: may.includes("update-row"),
    mayDelete: may.includes("delete-row"),
    deletesMore: given["deletesMore"] !== undefined,
    columns: JSON.parse(given["columns"] ?? "[]") as readonly EditedColumn[],
  };
}
