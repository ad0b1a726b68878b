import type { Collect } from "../hooks.js";
import type { Database, Table } from "../database.js";
import type { Actor } from "../permissions.js";
import type { Request } from "../request.js";
import type { Visit } from "../route.js";
import type { SqlInput, SqlValue } from "../values.js";

/** Conditions on the rows of a table, AND-ed with everybody else's. */
export interface FilterClause {
  /** SQL with `:names`; each name is replaced by one that is unique in the whole statement. */
  readonly where: string;
  readonly params: Readonly<Record<string, SqlInput>>;
  /** For people: `name = "Anvil"`; null contributes nothing to the description. */
  readonly description: string | null;
  /** Written by the caller, at least in part: the statement then runs confined. */
  readonly stranger?: boolean;
}

/** What a table page selects, before paging. */
export interface Selection {
  readonly database: Database;
  readonly table: Table;
  readonly columns: readonly string[];
  /** `from docs where "id" = :p0`, without order and limit. */
  readonly fromWhere: string;
  readonly params: Readonly<Record<string, SqlInput>>;
  readonly stranger: boolean;
}

/** Parts of a table page that other plugins compute: facets, suggestions. */
export interface TableExtension {
  /** Published keys; they fill the places the document reserves for them. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** Which rows and columns of a table an actor may read, on every path. */
export interface ReadScope {
  /** A condition over the table's own columns; rows that fail it do not exist for this actor. */
  readonly where?: string;
  readonly params?: Readonly<Record<string, SqlInput>>;
  /** Columns that do not exist for this actor. */
  readonly hiddenColumns?: readonly string[];
}

declare module "../hooks.js" {
  interface HookTable {
    filters_from_request: Collect<
      {
        readonly request: Request;
        readonly actor: Actor | null;
        readonly database: Database;
        readonly table: Table;
      },
      FilterClause
    >;
    /** Each table page, after its rows are known. `count` resolves to null when it timed out or was not wanted. */
    extend_table: Collect<
      {
        readonly visit: Visit<"table">;
        readonly selection: Selection;
        readonly count: number | null;
      },
      TableExtension
    >;
    /** Narrows what an actor reads of a table: pages, JSON, facets, labels, search, export. */
    read_scope: Collect<
      { readonly actor: Actor | null; readonly database: Database; readonly table: Table },
      ReadScope
    >;
  }
}

declare module "../rowhouse.js" {
  interface Settings {
    default_page_size: number;
    max_returned_rows: number;
  }
  interface Services {
    tables: {
      /** The column whose value names a row of this table, or null. */
      labelColumn(database: string, table: Table): string | null;
      /**
       * Labels of the rows that `table`'s key values point at; nothing for tables the actor may not view.
       * @returns by the key's `String()` form
       */
      labels(
        actor: Actor | null,
        database: Database,
        otherTable: string,
        otherColumn: string,
        values: readonly unknown[],
      ): Promise<ReadonlyMap<string, SqlValue> | null>;
      /** Not shown in listings unless asked for: full-text tables and their shadows, statistics, metadata `hidden`. */
      isHidden(database: string, table: Table): boolean;
      /** Rows of a whole table, remembered until the data changes; null when counting takes longer. */
      count(database: Database, table: Table, timeLimitMs: number): Promise<number | null>;
    };
  }
}
