import type { Schema, Table } from "rowhouse/plugin-api";
import type { TableDefinition } from "./table-definition.js";

/** What a step is given to go by: the table and its surroundings as they are at that point. */
export interface Surroundings {
  readonly table: Table;
  readonly schema: Schema;
}

/** One step of an alteration. */
export type Alteration =
  /** Leads to another definition; the table is rebuilt. @throws WriteRejected */
  | { readonly kind: "edit"; edit(definition: TableDefinition, around: Surroundings): TableDefinition }
  /** A statement that SQLite has for it. @throws WriteRejected */
  | { readonly kind: "statement"; sql(definition: TableDefinition, around: Surroundings): string }
  | { readonly kind: "rename"; readonly to: string };

export interface ReadAlteration {
  readonly alteration: Alteration;
  /** Other tables it points to, which the actor must be able to see. */
  readonly refersTo: readonly string[];
  /** A column that gets another name, or goes (null): what is kept about it elsewhere goes along. */
  readonly moves?: { readonly column: string; readonly to: string | null };
}
