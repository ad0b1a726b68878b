import type { Collect } from "../hooks.js";
import type { Confinement } from "./confinement.js";
import type { Database } from "../database.js";
import type { FilteredRows, ReadableTable } from "./read-scope.js";
import type { Table } from "../schema.js";
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
  /** What a clause that a caller wrote may read. */
  readonly confine?: Confinement;
  /**
   * For a condition that can't fail whatever a row holds, such as `price > :p0`: the columns of the table that it
   * names. Only such conditions may be evaluated on rows that are hidden from the actor, which lets them use an
   * index. All others are evaluated on the rows that the actor may read.
   */
  readonly leakproof?: readonly string[];
}

/** One entry of the operator menu. */
export interface FilterOperator {
  /** `gt`, as in `?column__gt=5`. */
  readonly name: string;
  /** For people: `>`. */
  readonly label: string;
  /** False where the value is ignored (`isnull`); the form then submits `isnull__1`. */
  readonly takesValue: boolean;
}

/** A column of a table page and what is known about it. */
export interface ColumnFacts {
  readonly name: string;
  /** As declared; empty for the rowid and where nothing was declared. */
  readonly type: string;
  readonly notNull: boolean;
  readonly isPrimaryKey: boolean;
  readonly sortable: boolean;
  /** From the metadata. */
  readonly description: string | null;
  /** From the metadata: the values' unit. */
  readonly unit: string | null;
  /** What the values point at, if the actor may view it. */
  readonly foreignKey: { readonly otherTable: string; readonly otherColumn: string } | null;
}

/**
 * `page.context` of a table page: what templates and other formats need beyond the published document.
 * Keys that other plugins bring through `extend_table` are optional: they are absent when the plugin is off.
 */
export interface TableContext {
  readonly database: Database;
  readonly table: Table;
  readonly isView: boolean;
  /** The table's metadata block, `{}` where there is none. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Selected columns in order, the rowid of a rowid table first. */
  readonly columns: readonly ColumnFacts[];
  /** Every column that can be filtered, selected or not. */
  readonly filterColumns: readonly string[];
  readonly operators: readonly FilterOperator[];
  /** Active column filters, in condition order. */
  readonly filters: readonly { readonly column: string; readonly op: string; readonly value: string }[];
  /** Arguments beginning with `_` that a form must carry on as hidden fields. */
  readonly hiddenArguments: readonly (readonly [name: string, value: string])[];
  readonly sort: string | null;
  readonly sortDesc: string | null;
  /** Rows of a page. */
  readonly pageSize: number;
  /** The page has fewer rows than were asked for, because rows of so many columns are wide. */
  readonly sizeLimited: boolean;
  readonly humanDescription: string;
  /** Rows that match; null when it took too long to count, or nobody asked. */
  readonly count: number | null;
  readonly nextUrl: string | null;
  /** Columns that make a row's path: the primary key, `rowid`, or none. */
  readonly keys: readonly string[];
  /** Foreign keys of one column whose target the actor may view. */
  readonly expandable: readonly ExpandableColumn[];
  /** The published statement and its values. */
  readonly query: { readonly sql: string; readonly params: Readonly<Record<string, SqlInput>> };
  readonly allowExecuteSql: boolean;
  /** The CREATE statement of the table or view. */
  readonly definition: string | null;
  /** Index and trigger statements of the table. */
  readonly furtherDefinitions: readonly string[];
  /** Search: a full-text index is known; the text searched for. */
  readonly searchable?: boolean;
  readonly search?: string;
  /** `_where` fragments, with the link that takes each away; null where there are too many for so long a query string. */
  readonly extraWheres?: readonly { readonly text: string; readonly removeUrl: string | null }[];
  /** Facet arguments that ran out of time, by column. */
  readonly facetsTimedOut?: readonly string[];
  /** Links of facets are null because the query string is so long that all of them would be too large. */
  readonly facetLinksOmitted?: boolean;
}

/** A foreign key of one column, and the column whose values stand for the rows of the other table. */
export interface ExpandableColumn {
  readonly column: string;
  readonly otherTable: string;
  readonly otherColumn: string;
  readonly labelColumn: string | null;
}

/** `page.context` of a row page. */
export interface RowContext {
  readonly database: Database;
  readonly table: Table;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly columns: readonly ColumnFacts[];
  readonly keys: readonly string[];
  readonly keyValues: readonly string[];
  /** The row's place in URLs. */
  readonly path: string;
  /** Links from other tables, only those the actor may view. */
  readonly foreignKeyTables: readonly LinkingTable[];
  readonly expandable: readonly ExpandableColumn[];
}

/** Rows of another table that point at this row; keys as published. */
export interface LinkingTable {
  readonly other_table: string;
  readonly column: string;
  readonly other_column: string;
  readonly count: number;
  readonly link: string;
}

/** What a table page selects, before paging. */
export interface Selection {
  readonly database: Database;
  readonly table: Table;
  readonly columns: readonly string[];
  /** What runs: `from docs where "id" = :p0`, without paging, order and limit. */
  readonly fromWhere: string;
  readonly params: Readonly<Record<string, SqlInput>>;
  readonly stranger: boolean;
  readonly confine: Confinement | null;
}

/** Parts of a table page that other plugins compute: facets, suggestions. */
export interface TableExtension {
  /** Published keys; they fill the places the document reserves for them. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly context?: Readonly<Record<string, unknown>>;
}

declare module "../hooks.js" {
  interface HookTable {
    /** Each page of rows, before they are read: conditions that arguments of the request ask for. */
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
  }
}

declare module "../route.js" {
  interface PageContexts {
    table: TableContext;
    row: RowContext;
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
       * Labels of the rows of `otherTable` that these key values point at; nothing for tables the actor may not view.
       * @returns by the key's `String()` form
       */
      labels(
        actor: Actor | null,
        database: Database,
        question: {
          readonly otherTable: string;
          readonly otherColumn: string;
          readonly values: readonly SqlValue[];
          /** Where it is known, the answer is remembered until the data changes. */
          readonly request?: Request;
        },
      ): Promise<ReadonlyMap<string, SqlValue> | null>;
      /** Not shown in listings unless asked for: full-text tables and their shadows, statistics, metadata `hidden`. */
      isHidden(database: string, table: Table): boolean;
      /**
       * Rows of a table that the actor may read, remembered until the data changes; null when counting takes
       * longer.
       *
       * @param sinceMs as `Database.version` takes it: spares a look at the version for each of many tables
       */
      count(
        database: Database,
        readable: ReadableTable,
        timeLimitMs: number,
        sinceMs?: number,
      ): Promise<number | null>;
      /** Counts of whole tables that are remembered as of `sinceMs`, by name: lists of thousands wait for nothing. */
      knownCounts(
        database: Database,
        readables: readonly ReadableTable[],
        sinceMs: number,
      ): Promise<ReadonlyMap<string, number>>;
      /**
       * What `produce` resolves to, kept until the data of `database` changes. `key` must tell everything the
       * answer depends on (the statement and its values do). Null, for "not known in time", is kept half a minute.
       */
      cached<T>(request: Request, database: Database, key: string, produce: () => Promise<T>): Promise<T>;
      /**
       * The rows that column filters, as in `?price__gt=5`, select of those the actor may read.
       *
       * @throws BadRequest for a filter that can't be understood
       */
      filtered(
        actor: Actor | null,
        database: Database,
        table: Table,
        filters: readonly (readonly [name: string, value: string])[],
      ): Promise<FilteredRows>;
      /** What a table is to this actor. */
      readable(actor: Actor | null, database: Database, table: Table): Promise<ReadableTable>;
      /** What tables are to this actor, in their order. Whoever reads a table for somebody reads `sql` of these. */
      readableMany(
        actor: Actor | null,
        database: Database,
        tables: readonly Table[],
      ): Promise<readonly ReadableTable[]>;
      /**
       * The same as the actor may know them: also without keys and definitions that name a table which they may not
       * view.
       */
      describable(
        actor: Actor | null,
        database: Database,
        tables: readonly Table[],
      ): Promise<readonly ReadableTable[]>;
      /** Those of these tables, views or names that don't exist which the actor may view. */
      viewable(
        actor: Actor | null,
        database: Database,
        tables: readonly string[],
      ): Promise<ReadonlySet<string>>;
    };
  }
}
