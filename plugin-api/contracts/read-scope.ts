import type { Collect } from "../hooks.js";
import type { Database } from "../database.js";
import type { Table } from "../schema.js";
import type { Actor } from "../permissions.js";
import type { SqlInput } from "../values.js";

/** What an actor may read of one table. Several answers about a table add up: each hides more. */
export interface ReadScope {
  /** The table's name. Answers about other tables than those asked about are passed over. */
  readonly table: string;
  /** A condition over the table's own columns, with `:names` only; rows that fail it do not exist for this actor. */
  readonly where?: string;
  readonly params?: Readonly<Record<string, SqlInput>>;
  /**
   * Columns that do not exist for this actor; names that the table does not have are passed over. Where one
   * belongs to the primary key, rows have no address left: they are read as those of a view are.
   */
  readonly hiddenColumns?: readonly string[];
  /**
   * Of a view: this answer is all that needs hiding. Without it a view that reads a table of which anything is
   * hidden from the actor has no rows for them.
   */
  readonly complete?: boolean;
}

/** A table as one actor may read it. */
export interface ReadableTable {
  /** Without hidden columns, and without keys and indexes over them. */
  readonly table: Table;
  /**
   * What stands after `from`, for statements that read it. Conditions on it are evaluated only on rows that the
   * actor may read.
   */
  readonly sql: string;
  /**
   * The same rows for statements whose conditions can't fail on any row, such as looking a key up. SQLite may
   * evaluate these conditions on hidden rows too, and so can use an index for them.
   */
  readonly flattenable: string;
  /** Of a view behind a barrier: it computes nothing, so that comparing one of its columns can't fail on any row. */
  readonly isPlainView?: boolean;
  /** To go along with `sql`; their names are used by nothing else. */
  readonly params: Readonly<Record<string, SqlInput>>;
  /** Some of its rows or columns are hidden from the actor. */
  readonly restricted: boolean;
}

/** Some rows of a table, for a statement: `select ... from <source><where>`. */
export interface FilteredRows {
  /** Without the columns that are hidden from the actor. */
  readonly table: Table;
  readonly source: string;
  /** ` where ...`, or nothing. */
  readonly where: string;
  readonly params: Readonly<Record<string, SqlInput>>;
}

declare module "../hooks.js" {
  interface HookTable {
    /**
     * Narrows what an actor reads of tables, on every path: pages, rows, JSON, exports, counts, facets, labels,
     * search, listings. SQL that a caller or a canned query brings is refused where it reads a narrowed table, and
     * so is writing to what can't be read. Asked about many tables at once where a page shows many.
     */
    read_scope: Collect<
      { readonly actor: Actor | null; readonly database: Database; readonly tables: readonly Table[] },
      ReadScope
    >;
  }
}
