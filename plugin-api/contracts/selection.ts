import type { Database } from "../engine/database.js";
import type { Table } from "../engine/schema.js";
import type { SqlInput } from "../engine/values.js";
import type { ReadAllowlist } from "./read-allowlist.js";
import type { FilterClause } from "./tables.js";

/** What a table page selects, before paging. */
export interface Selection {
  readonly database: Database;
  readonly table: Table;
  readonly columns: readonly string[];
  /** `from docs where "id" = :p0`, without paging, order and limit. */
  readonly fromWhere: string;
  readonly params: Readonly<Record<string, SqlInput>>;
  readonly untrusted: boolean;
  readonly allowlist: ReadAllowlist | null;
}

/** The table or view of a selection. */
export type SelectedTable = Pick<Selection, "database" | "table">;

/** How a caller selects rows. */
export interface SelectOptions {
  /** Conditions in addition to those of the request. */
  readonly further?: readonly FilterClause[];
  /** Names of arguments that the caller reads itself, and that would otherwise be filters: `q`. */
  readonly ownArguments?: readonly string[];
}

/** The rows of a table that a request selects by its filters. */
export interface RequestedRows {
  readonly selection: Selection;
  /** `where state = "CA" and price > 5`; empty without filters. */
  readonly description: string;
}
