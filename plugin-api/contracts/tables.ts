import { defineSettings, type SettingsOf } from "../kernel/settings.js";
import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import type { Database } from "../engine/database.js";
import type { FilteredRows, RowAccess } from "./read-scope.js";
import type { ReadableTable } from "./readable-table.js";
import type { FilterClause, RequestedRows, SelectedTable, Selection, SelectOptions } from "./selection.js";
import type { Table } from "../engine/schema.js";
import type { Actor } from "../access/permissions.js";
import type { Pair } from "../http/query-bytes.js";
import type { Request } from "../http/request.js";
import type { Visit } from "../http/route.js";
import { isObject, type SqlInput, type SqlValue } from "../engine/values.js";

/** An entry of the menu of filter operators. */
export interface FilterOperator {
  /** `gt`, as in `?column__gt=5`. */
  readonly name: string;
  /** The label: `>`. */
  readonly label: string;
  /** False if the value is ignored (`isnull`); the form then sends `isnull__1`. */
  readonly takesValue: boolean;
}

/** A column of a table page. */
export interface ColumnFacts {
  readonly name: string;
  /** The declared type; empty for the rowid and for columns without one. */
  readonly type: string;
  readonly notNull: boolean;
  readonly isPrimaryKey: boolean;
  readonly sortable: boolean;
  /** From the metadata. */
  readonly description: string | null;
  /** The unit of the values, from the metadata. */
  readonly unit: string | null;
  /** The referenced column, if the actor may view it. */
  readonly foreignKey: { readonly otherTable: string; readonly otherColumn: string } | null;
}

/**
 * `page.context` of a table page: data for templates and other formats that is not part of the JSON document. Optional
 * keys come from other plugins through `extend_table`.
 */
export interface TableContext {
  readonly database: Database;
  readonly table: Table;
  readonly isView: boolean;
  /** The metadata of the table; `{}` if there is none. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Selected columns in order, the rowid of a rowid table first. */
  readonly columns: readonly ColumnFacts[];
  /** Every column that can be filtered, selected or not. */
  readonly filterColumns: readonly string[];
  readonly operators: readonly FilterOperator[];
  /** Active column filters, in condition order. */
  readonly filters: readonly { readonly column: string; readonly op: string; readonly value: string }[];
  /** Conditions of plugins on these arguments of the request, as people read them. */
  readonly conditions: readonly { readonly text: string; readonly argument: Pair }[];
  /** Arguments beginning with `_` that a form needs as hidden fields. */
  readonly hiddenArguments: readonly (readonly [name: string, value: string])[];
  /** The columns by which the page is sorted, most significant first; empty for the default order. */
  readonly order: readonly { readonly column: string; readonly descending: boolean }[];
  /** The column of `_sort`; null for several columns. */
  readonly sort: string | null;
  /** The column of `_sort_desc`; null for several columns. */
  readonly sortDesc: string | null;
  /** Rows of a page. */
  readonly pageSize: number;
  /** True if the page has fewer rows than requested, because the table has many columns. */
  readonly sizeLimited: boolean;
  readonly humanDescription: string;
  /** The number of matching rows; null if counting took too long or was not requested. */
  readonly count: number | null;
  /** The engine has estimated the count, because counting takes long. */
  readonly countIsEstimate: boolean;
  /** A large file is still being counted; `count` is null. A later page shows the count. */
  readonly countIsPending: boolean;
  readonly nextUrl: string | null;
  /** The number of the first row of the page, from 1; null if counting the rows before it took too long. */
  readonly firstRow: number | null;
  /** The page before this one; null on the first page, and if it is not known where it begins. */
  readonly previousUrl: string | null;
  /** The first page; null on the first page. */
  readonly firstUrl: string | null;
  /** The columns of the row path: the primary key, `rowid`, or none. */
  readonly keys: readonly string[];
  /** Foreign keys of one column whose target the actor may view. */
  readonly expandable: readonly ExpandableColumn[];
  /** A statement that selects the rows of the page, for people who want to edit it. */
  readonly query: { readonly sql: string; readonly params: Readonly<Record<string, SqlInput>> };
  readonly allowExecuteSql: boolean;
  /** The CREATE statement of the table or view. */
  readonly definition: string | null;
  /** Index and trigger statements of the table. */
  readonly furtherDefinitions: readonly string[];
  /** Search: a full-text index is known; the text searched for. */
  readonly searchable?: boolean;
  readonly search?: string;
  /** The columns of facets that reached the time limit. */
  readonly facetsTimedOut?: readonly string[];
  /** True if links of facets are null because they would be too long together. */
  readonly facetLinksOmitted?: boolean;
}

/** A foreign key of one column, with the label column of the other table. */
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
  /** The row path. */
  readonly path: string;
  /** Links from other tables, only those the actor may view. */
  readonly foreignKeyTables: readonly LinkingTable[];
  readonly expandable: readonly ExpandableColumn[];
}

/** Rows of another table that reference this row. The names of the keys are published. */
export interface LinkingTable {
  readonly other_table: string;
  readonly column: string;
  readonly other_column: string;
  readonly count: number;
  readonly link: string;
}

/** Parts of a table page from other plugins: facets, suggestions. */
export interface TableExtension {
  /** Values for keys that the JSON document reserves. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly context?: Readonly<Record<string, unknown>>;
}

/** Rejects the names of version 0.1 for `untrusted` and `allowlist`: without them the SQL would run as trusted. */
function isFilterClause(answer: unknown): boolean {
  const { where, params, description, argument, ...others } = Object(answer) as Readonly<
    Record<string, unknown>
  >;
  if (typeof where !== "string" || !isObject(params) || "stranger" in others || "confine" in others)
    return false;
  if (argument !== undefined && !isPairOfTexts(argument)) return false;
  return typeof (description ?? "") === "string";
}

const isPairOfTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every((one) => typeof one === "string");

/** Rejects keys of the document that are not in `data`: they would be missing without a message. */
function isTableExtension(answer: unknown): boolean {
  if (!isObject(answer)) return false;
  const isNamed = "data" in answer || "context" in answer || Object.keys(answer).length === 0;
  return isNamed && [answer["data"] ?? {}, answer["context"] ?? {}].every(isObject);
}

/** The hooks of the plugin that owns this contract. */
export const tableHooks = defineHooks({
  /** Each table page, before its rows are read: conditions from the arguments of the request. */
  filters_from_request: hook.collect<
    {
      readonly request: Request;
      readonly actor: Actor | null;
      readonly database: Database;
      readonly table: Table;
      /** The rows that the actor may read. */
      readonly source: ReadableTable;
    },
    FilterClause
  >({
    expects: {
      what: "a filter with where, params, description and argument (a name and a value) if any, and not stranger or confine (now untrusted, allowlist)",
      is: isFilterClause,
    },
  }),
  /** Each table page, after its rows were read: further parts. `count` is null if it timed out or is not wanted. */
  extend_table: hook.collect<
    {
      readonly visit: Visit<"table">;
      readonly selection: Selection;
      readonly count: number | null;
    },
    TableExtension
  >({ expects: { what: "an object with data or context, which are objects", is: isTableExtension } }),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof tableHooks> {}
}

declare module "../http/route.js" {
  interface PageContexts {
    table: TableContext;
    row: RowContext;
  }
}

/** The settings of the plugin tables. */
export const tablesSettings = defineSettings({
  default_page_size: { default: 100, help: "Default page size for the table view" },
  result_cache_kb: {
    default: 4096,
    help: "Memory for counts, facets and labels that are valid until the data changes, in KB",
    unlisted: true,
  },
  max_returned_rows: { default: 1000, help: "Maximum rows that can be returned from a table or query" },
});

declare module "../kernel/rowhouse.js" {
  interface Settings extends SettingsOf<typeof tablesSettings> {}
  interface Services {
    tables: {
      /** The column with the label of a row; null if there is none. */
      labelColumn(database: string, table: Table): string | null;
      /**
       * The labels of the rows of `otherTable` with these key values.
       *
       * @returns labels by `labelKey(value)`; null for tables that the actor may not view
       */
      labels(
        actor: Actor | null,
        database: Database,
        question: {
          readonly otherTable: string;
          readonly otherColumn: string;
          readonly values: readonly SqlValue[];
          /** With a request, the result is cached until the data changes. */
          readonly request?: Request;
        },
      ): Promise<ReadonlyMap<string, SqlValue> | null>;
      /**
       * True for tables that listings leave out: full-text and shadow tables, statistics, metadata `hidden`, and the
       * internal tables of SpatiaLite.
       */
      isHidden(database: string, table: Table): boolean;
      /**
       * The number of rows that the actor may read, cached until the data changes; null at the time limit.
       *
       * @param sinceMs as for `Database.version`: callers with many tables share one version
       */
      count(
        database: Database,
        readable: ReadableTable,
        timeLimitMs: number,
        sinceMs?: number,
      ): Promise<number | null>;
      /**
       * The same for many tables, by name, with few statements. Tables that take long to count are missing, and so may be
       * views and tables of which the actor may read only a part.
       */
      counts(
        database: Database,
        readables: readonly ReadableTable[],
        sinceMs: number,
      ): Promise<ReadonlyMap<string, number>>;
      /**
       * The result of `produce`, cached until the data changes. `key` must contain everything on which it depends (the
       * statement and its values). Null, for timeouts, is cached for 30 seconds, and what can change by itself for a second.
       */
      cached<T>(request: Request, of: SelectedTable, key: string, produce: () => Promise<T>): Promise<T>;
      /**
       * The rows of a source, such as `target.source`, that match column filters, as in `?price__gt=5`.
       *
       * @throws BadRequest for an invalid filter
       */
      filtered(
        database: Database,
        source: ReadableTable,
        filters: readonly (readonly [name: string, value: string])[],
      ): FilteredRows;
      /**
       * The rows that a request selects with its column filters, searches and other conditions, as for the page of the
       * table. The statement over them reads only rows that the actor may read.
       *
       * @throws BadRequest for invalid arguments, Forbidden for arguments that the actor may not use
       */
      select(visit: Visit<"table">, options?: SelectOptions): Promise<RequestedRows>;
      /** @deprecated use the service `rowAccess` */
      viewable: RowAccess["viewable"];
    };
  }
}
