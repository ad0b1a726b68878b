import type { Database } from "../database.js";
import type { Table } from "../schema.js";
import type { Actor } from "../permissions.js";
import type { CannedQuery } from "./queries.js";
import type { MetadataBlock } from "./metadata.js";

/** One database and what is in it, as far as somebody may view it. */
export interface Listing {
  readonly database: Database;
  /** Visible to this actor, not to anonymous visitors. */
  readonly private: boolean;
  /** Tables and views in catalogue order, without those kept out of listings. */
  readonly tables: readonly { readonly table: Table; readonly private: boolean }[];
  readonly queries: readonly { readonly query: CannedQuery; readonly private: boolean }[];
}

declare module "../route.js" {
  interface PageContexts {
    index: IndexContext;
    database: DatabaseContext;
    query: QueryContext;
  }
}

declare module "../rowhouse.js" {
  interface Services {
    browse: {
      /** Everything an actor may view: nothing names what is hidden from them. */
      listings(actor: Actor | null): Promise<readonly Listing[]>;
    };
  }
}

/** Beyond the document, what the page `index` shows. */
export interface IndexContext {
  /** Title, description, source, license, about; inherited values filled in. */
  readonly metadata: MetadataBlock;
  /** The instance page itself is closed to anonymous visitors. */
  readonly private: boolean;
  /** The document's values in their published order, which an object can't keep for names that are numbers. */
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
  /** Only of a database that can't be read for now: why. */
  readonly error?: string;
}

/** A table as listings publish it. */
export interface ListedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly primary_keys: readonly string[];
  /** null when counting took too long. */
  readonly count: number | null;
  readonly hidden: boolean;
  readonly fts_table: string | null;
  readonly private: boolean;
}

/** A view as listings publish it. */
export interface ListedView {
  readonly name: string;
  readonly private: boolean;
}

/** Beyond the document, what the page `database` shows. */
export interface DatabaseContext {
  readonly metadata: MetadataBlock;
  /** Six hex digits. */
  readonly color: string;
  /** `?_show_hidden=1` asks for the hidden tables as well. */
  readonly showHidden: boolean;
  /** What the SQL editor starts with. */
  readonly editorSql: string;
  readonly queries: readonly QueryLink[];
  /** Databases attached to the in-memory one, with a link that lists their tables. */
  readonly attached: readonly { readonly name: string; readonly href: string }[];
  /** Where the file can be had, null where it can't. */
  readonly download: { readonly href: string; readonly fileName: string; readonly sizeBytes: number } | null;
  readonly immutable: boolean;
}

/** A saved query as the page of its database shows it. */
export interface QueryLink {
  readonly name: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly sql: string;
  /** With the query's `#fragment`. */
  readonly href: string;
  readonly private: boolean;
}

/** Beyond the document, what the page `query` shows, for custom SQL and canned queries. */
export interface QueryContext {
  readonly kind: "sql" | "canned" | "write";
  readonly metadata: MetadataBlock;
  readonly color: string;
  readonly private: boolean;
  readonly queryName: string | null;
  readonly sql: string;
  /** The SQL may be changed on this page; else it is shown read-only. */
  readonly editable: boolean;
  readonly hideSql: boolean;
  /** The link that shows or hides the SQL. */
  readonly toggle: { readonly href: string; readonly label: "show" | "hide" };
  /** Goes along as a hidden field so that the choice lasts. */
  readonly hiddenFields: readonly (readonly [name: string, value: string])[];
  /** One field for each, with the value shown. */
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
  readonly action: string;
  readonly method: "get" | "post";
  /** The same statement in the SQL editor; null where that is not possible or not allowed. */
  readonly editHref: string | null;
  /** A writable query of a database that can't be written. */
  readonly immutable: boolean;
  /** The engine's or the gate's complaint. */
  readonly error: string | null;
  /** For completion in the editor: columns by table. */
  readonly tableColumns: ReadonlyMap<string, readonly string[]>;
}

/** What the page `json_data` shows: an introspection document. */
export interface JsonDataContext {
  /** `versions.json` */
  readonly fileName: string;
  /** The same document as JSON. */
  readonly href: string;
  /** Indented JSON. */
  readonly text: string;
}
