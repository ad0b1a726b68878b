import type { ColumnChange } from "rowhouse/plugin-api/engine";
import type { ColumnReference } from "../rows/new-columns.js";

/** One step of an alteration, for engines that alter a table by statements. */
export type TableChange =
  | {
      readonly op: "add-column";
      readonly name: string;
      readonly changes: ColumnChange;
      readonly key: NewForeignKey | null;
    }
  | { readonly op: "rename-column"; readonly name: string; readonly to: string }
  | { readonly op: "alter-column"; readonly name: string; readonly changes: ColumnChange }
  | { readonly op: "drop-column"; readonly name: string }
  | { readonly op: "reorder-columns" }
  | { readonly op: "set-primary-key"; readonly columns: readonly string[] }
  | { readonly op: "add-foreign-key"; readonly key: NewForeignKey }
  | { readonly op: "drop-foreign-key"; readonly column: string }
  | { readonly op: "set-foreign-keys"; readonly keys: readonly NewForeignKey[] }
  | { readonly op: "add-check"; readonly check: NewCheck }
  | { readonly op: "drop-check"; readonly dropped: DroppedCheck }
  | { readonly op: "rename-table"; readonly to: string };

/** A foreign key to add to a column. */
export interface NewForeignKey extends ColumnReference {
  readonly column: string;
}

/** A CHECK as a request describes it. The expression is not validated yet. */
export interface NewCheck {
  readonly name: string | null;
  readonly expression: string;
}

/** The CHECK that an operation drops. */
export interface DroppedCheck {
  readonly name: string | null;
  readonly expression: string | null;
}
