import type { Collect } from "../hooks.js";
import type { Database } from "../database.js";
import type { Table } from "../schema.js";
import type { Actor } from "../permissions.js";
import type { SqlInput } from "../values.js";

/** Restricts what an actor may read of one table. Several restrictions of a table are combined. */
export interface ReadScope {
  /** The name of the table. Results for tables that are not in `tables` are ignored. */
  readonly table: string;
  /** A condition on the columns of the table, with `:name` parameters. Rows for which it is not true are hidden. */
  readonly where?: string;
  readonly params?: Readonly<Record<string, SqlInput>>;
  /**
   * Hidden columns. Names of other columns are ignored. If a column of the primary key is hidden, rows have no row path,
   * like those of a view.
   */
  readonly hiddenColumns?: readonly string[];
  /**
   * Only for views: this restriction is sufficient. Without it, a view that reads a restricted table has no rows for the
   * actor.
   */
  readonly complete?: boolean;
}

/** A table as one actor may read it. */
export interface ReadableTable {
  /** The table without hidden columns and the keys and indexes that contain them. */
  readonly table: Table;
  /**
   * The source of rows for the FROM clause. Conditions on it are evaluated only on rows that the actor may read.
   */
  readonly sql: string;
  /**
   * The same rows, for statements whose conditions cannot fail on any row, such as the lookup of a key. SQLite may use
   * an index for these conditions, and may evaluate them on hidden rows.
   */
  readonly flattenable: string;
  /** Only for views behind a barrier: its columns are not computed, so comparisons with them cannot fail. */
  readonly isPlainView?: boolean;
  /** The parameters of `sql`, with unique names. */
  readonly params: Readonly<Record<string, SqlInput>>;
  /** True if rows or columns are hidden from the actor. */
  readonly restricted: boolean;
}

/** Filtered rows of a table, for `select ... from <source><where>`. */
export interface FilteredRows {
  /** The table without hidden columns. */
  readonly table: Table;
  readonly source: string;
  /** ` where ...`, or an empty text. */
  readonly where: string;
  readonly params: Readonly<Record<string, SqlInput>>;
}

/** Restrictions of what actors may read. Views of tables and rows do not need it: their `target.source` is restricted. */
export interface RowAccess {
  /** A table with the restrictions for this actor. */
  readable(actor: Actor | null, database: Database, table: Table): Promise<ReadableTable>;
  /** Tables with the restrictions for this actor, in order. Read rows for an actor only from their `sql`. */
  readableMany(
    actor: Actor | null,
    database: Database,
    tables: readonly Table[],
  ): Promise<readonly ReadableTable[]>;
  /** The same, also without keys and definitions that name a table which the actor may not view. */
  describable(
    actor: Actor | null,
    database: Database,
    tables: readonly Table[],
  ): Promise<readonly ReadableTable[]>;
  /** A source, such as `target.source`, without keys and definitions that name a table which the actor may not view. */
  describe(actor: Actor | null, database: Database, source: ReadableTable): Promise<ReadableTable>;
  /** The names among `tables` that the actor may view. Names need not exist. */
  viewable(actor: Actor | null, database: Database, tables: readonly string[]): Promise<ReadonlySet<string>>;
}

declare module "../rowhouse.js" {
  interface Services {
    rowAccess: RowAccess;
  }
}

declare module "../hooks.js" {
  interface HookTable {
    /**
     * Each read: restricts the rows and columns of tables for an actor, in all pages, formats, counts, facets, labels and
     * searches. Untrusted SQL and canned queries that read a restricted table are denied, and so are writes to rows that
     * cannot be read. Lists of tables call it once for many tables.
     */
    read_scope: Collect<
      { readonly actor: Actor | null; readonly database: Database; readonly tables: readonly Table[] },
      ReadScope
    >;
  }
}
