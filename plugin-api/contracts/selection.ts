import type { Database } from "../engine/database.js";
import type { Table } from "../engine/schema.js";
import type { SqlInput } from "../engine/values.js";
import type { ReadAllowlist } from "../engine/reads.js";
import type { Pair } from "../http/query-bytes.js";

/** A condition on the rows of a table. All conditions are combined with AND. */
export interface FilterClause {
  /** SQL with `:names`; each name is replaced by one that is unique in the whole statement. */
  readonly where: string;
  /** Is executed in place of `where`: it matches the same rows with less work. */
  readonly executedWhere?: string | undefined;
  /** Is shown in place of `where` in `query` of JSON documents, whose text is that of the Datasette API. */
  readonly publishedWhere?: string | undefined;
  readonly params: Readonly<Record<string, SqlInput>>;
  /** Further parameters of `executedWhere`. They are not shown. */
  readonly executedParams?: Readonly<Record<string, SqlInput>>;
  /** A description for pages: `name = "Anvil"`; null for none. */
  readonly description: string | null;
  /** The argument of the request that it comes from. Pages show the condition with a link that removes the argument. */
  readonly argument?: Pair;
  /** True if a client wrote part of it: the statement is then run as untrusted SQL. */
  readonly untrusted?: boolean;
  /** The tables that a condition written by a client may read. */
  readonly allowlist?: ReadAllowlist;
  /**
   * For a condition that cannot fail on any row, such as `price > :p0`: its columns. Only such conditions may be
   * evaluated on rows that are hidden from the actor, so that they can use an index.
   */
  readonly leakproof?: readonly string[];
}

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
