import type { Actor } from "../access/permissions.js";
import type { CannedQuery } from "../contracts/queries.js";
import type { Database } from "../engine/database.js";
import type { Table } from "../engine/schema.js";
import type { Awaitable } from "../kernel/hook-results.js";
import type { Rowhouse } from "../kernel/rowhouse.js";
import type { Endpoint, JsonSchema, Parameter, Reference } from "./document.js";

/** Something with endpoints, and the actor for whom they are described. */
export interface Described {
  readonly rowhouse: Rowhouse;
  readonly actor: Actor | null;
  /** The section of its operations. */
  readonly tag: string;
  /** The path that its endpoints begin with: empty for the instance, `/library`, `/library/books`. */
  readonly path: string;
  /** The names that ids of its operations begin with: none, `library`, or `library` and `books`. */
  readonly names: readonly string[];
  /** Whether the actor has a permission on it. @param action one of the `actions` of an `ApiDescription` */
  may(action: string): boolean;
}

/** A database that the actor may view. */
export interface DescribedDatabase extends Described {
  readonly database: Database;
  /** The tables and views that the actor may view. */
  readonly tables: readonly DescribedTable[];
  /** The queries that the actor may view and whose paths are not those of tables. */
  readonly queries: readonly CannedQuery[];
}

/** A table or view that the actor may view, without the columns that are hidden from the actor. */
export interface DescribedTable extends Described {
  readonly database: Database;
  readonly table: Table;
  /** True if rows or columns of it are hidden from the actor. */
  readonly restricted: boolean;
  /** The name of a schema for this table: `row` and `columns` always exist, others are its `tableSchemas`. */
  schemaName(kind: string): string;
  /** The arguments of its rows in every format, by all plugins. */
  readonly rowParameters: readonly (Parameter | Reference)[];
  /** The arguments of the JSON document of its rows alone, by all plugins. */
  readonly documentParameters: readonly (Parameter | Reference)[];
}

/**
 * The endpoints of a plugin for `/-/openapi.json`. Its functions are called for each document and list only what the actor
 * may do. Those about tables return their result at once, because the document of thousands of tables is made while it is
 * sent. The document has nothing of a function that fails, and the log names its plugin.
 *
 * Names of components, paths and kinds of schemas are those of the whole document. Begin your own with the name of your
 * plugin. Of two components with one name, the document has the first, and the log names the plugins of both.
 */
export interface ApiDescription {
  /** The permissions that the functions ask `may` for. They are decided for all tables at once. */
  readonly actions?: readonly string[];
  /** Schemas that are the same for all tables, by the name of their component. @param databases what the actor may view */
  readonly schemas?: (databases: readonly DescribedDatabase[]) => Readonly<Record<string, JsonSchema>>;
  /** Parameters that are the same for all tables, by the name of their component. */
  readonly parameters?: Readonly<Record<string, Parameter>>;
  /** Ways to authenticate, by the name of their component. A request needs one of them at most. */
  readonly securitySchemes?: (rowhouse: Rowhouse) => Readonly<Record<string, JsonSchema>>;
  /** Endpoints of the server itself. */
  readonly instance?: (instance: Described) => Awaitable<readonly Endpoint[]>;
  /** Endpoints of each database. */
  readonly database?: (database: DescribedDatabase) => Awaitable<readonly Endpoint[]>;
  /** Endpoints of each table or view. */
  readonly table?: (table: DescribedTable) => readonly Endpoint[];
  /** Schemas of each table, by the kind that `schemaName` takes. */
  readonly tableSchemas?: (table: DescribedTable) => Readonly<Record<string, JsonSchema>>;
  /** Arguments of the rows of each table, in every format: what selects, orders and labels them. */
  readonly rowParameters?: (table: TableWithoutParameters) => readonly (Parameter | Reference)[];
  /** Arguments of the JSON document of the rows of each table: what it has beside the rows. */
  readonly documentParameters?: (table: TableWithoutParameters) => readonly (Parameter | Reference)[];
}

type TableWithoutParameters = Omit<DescribedTable, "rowParameters" | "documentParameters">;
