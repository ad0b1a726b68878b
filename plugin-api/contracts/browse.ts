import type { Database } from "../engine/database.js";
import type { Table } from "../engine/schema.js";
import type { Actor } from "../access/permissions.js";
import type { StatementAdvice } from "./advice.js";
import type { CannedQuery } from "./queries.js";
import type { MetadataBlock } from "./metadata.js";

/** A database and those of its tables, views and queries that an actor may view. */
export interface Listing {
  readonly database: Database;
  /** Visible to this actor, but not to anonymous clients. */
  readonly private: boolean;
  /** Tables and views in catalogue order, without those kept out of listings. */
  readonly tables: readonly { readonly table: Table; readonly private: boolean }[];
  readonly queries: readonly { readonly query: CannedQuery; readonly private: boolean }[];
}

declare module "../http/route.js" {
  interface PageContexts {
    index: IndexContext;
    database: DatabaseContext;
    query: QueryContext;
  }
}

declare module "../kernel/rowhouse.js" {
  interface Services {
    browse: {
      /** All databases, tables, views and queries that an actor may view. */
      listings(actor: Actor | null): Promise<readonly Listing[]>;
      /** The tables and views of one database that an actor may view, without those kept out of listings. */
      tables(actor: Actor | null, database: Database): Promise<Listing["tables"]>;
    };
  }
}

/** What the page `index` shows in addition to the JSON document. */
export interface IndexContext {
  /** Title, description, source, license, about; inherited values filled in. */
  readonly metadata: MetadataBlock;
  /** Anonymous clients may not view the instance. */
  readonly private: boolean;
  /** The databases in order. (Objects would sort names that are numbers.) */
  readonly databases: readonly IndexEntry[];
}

/** One database of the instance document. */
export interface IndexEntry {
  readonly name: string;
  readonly hash: string | null;
  /** Six hex digits. */
  readonly color: string;
  readonly path: string;
  readonly tables_and_views_truncated: readonly (ListedTable | ListedView)[];
  readonly tables_and_views_more: boolean;
  readonly tables_count: number;
  readonly table_rows_sum: number;
  readonly show_table_row_counts: boolean;
  readonly hidden_table_rows_sum: number;
  readonly hidden_tables_count: number;
  readonly views_count: number;
  readonly private: boolean;
  /** Why the database cannot be read at the moment; absent for others. */
  readonly error?: string;
}

/** A table as listings publish it. */
export interface ListedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly primary_keys: readonly string[];
  /** null when counting took too long, and the engine does not estimate. */
  readonly count: number | null;
  /** The engine has estimated the count, because counting takes long. */
  readonly count_estimated?: true;
  readonly hidden: boolean;
  readonly fts_table: string | null;
  readonly private: boolean;
}

/** A view as listings publish it. */
export interface ListedView {
  readonly name: string;
  readonly private: boolean;
}

/** What the page `database` shows in addition to the JSON document. */
export interface DatabaseContext {
  readonly metadata: MetadataBlock;
  /** Six hex digits. */
  readonly color: string;
  /** True with `?_show_hidden=1`: hidden tables are listed too. */
  readonly showHidden: boolean;
  /** The initial text of the SQL editor. */
  readonly editorSql: string;
  /** Columns by table and view, for completion in the SQL editor; empty without `execute-sql`. */
  readonly editorColumns: ReadonlyMap<string, readonly string[]>;
  readonly queries: readonly QueryLink[];
  /** Databases attached to the in-memory one, with a link that lists their tables. */
  readonly attached: readonly { readonly name: string; readonly href: string }[];
  /** The link to the file; null if it cannot be downloaded. */
  readonly download: { readonly href: string; readonly fileName: string; readonly sizeBytes: number } | null;
  readonly immutable: boolean;
}

/** A canned query on the page of its database. */
export interface QueryLink {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly sql: string;
  /** With the query's `#fragment`. */
  readonly href: string;
  readonly private: boolean;
}

/** What the page `query` shows in addition to the JSON document, for custom SQL and canned queries. */
export interface QueryContext {
  readonly kind: "sql" | "canned" | "write";
  readonly metadata: MetadataBlock;
  readonly color: string;
  readonly private: boolean;
  readonly queryName: string | null;
  readonly sql: string;
  /** True if the SQL can be edited on this page. */
  readonly editable: boolean;
  readonly hideSql: boolean;
  /** The link that shows or hides the SQL. */
  readonly toggle: { readonly href: string; readonly label: "show" | "hide" };
  /** Hidden fields that keep the choice when the form is sent. */
  readonly hiddenFields: readonly (readonly [name: string, value: string])[];
  /** Fields of the form with their values. */
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
  readonly action: string;
  readonly method: "get" | "post";
  /** The same statement in the SQL editor; null if it is not allowed. */
  readonly editHref: string | null;
  /** True for a writable query of an immutable database. */
  readonly immutable: boolean;
  /** The error of the statement; null if it succeeded. */
  readonly error: string | null;
  /** Why the statement took too long; empty for others. */
  readonly advice: readonly StatementAdvice[];
  /** Columns by table, for autocompletion in the editor. Empty in other formats than HTML. */
  readonly tableColumns: ReadonlyMap<string, readonly string[]>;
}

/** What the template `json_data.html` shows: the document of a page without a template of its own. */
export interface JsonDataContext {
  /** `versions.json` */
  readonly fileName: string;
  /** The same document as JSON. */
  readonly href: string;
  /** Indented JSON. */
  readonly text: string;
}
