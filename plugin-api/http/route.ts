import type { Database } from "../engine/database.js";
import type { ReadableTable } from "../contracts/readable-table.js";
import type { Schema, Table } from "../engine/schema.js";
import type { Awaitable } from "../kernel/hook-results.js";
import type { Actor, Chain } from "../access/permissions.js";
import type { Reply, Request } from "./request.js";
import type { Rowhouse } from "../kernel/rowhouse.js";
import type { SqlValue } from "../engine/values.js";

/** The kinds of resources that a URL can name. Plugins add kinds by declaration merging. */
export interface Targets {
  instance: { readonly kind: "instance" };
  database: { readonly kind: "database"; readonly database: Database };
  /** A table or a view. */
  table: TableTarget & { readonly kind: "table" };
  /** `key` holds the decoded parts of the row path. The row itself need not exist. */
  row: TableTarget & { readonly kind: "row"; readonly key: readonly string[] };
}

/** A table or view as the actor of the request may read it. */
export interface TableTarget {
  readonly database: Database;
  /** Without the columns that are hidden from the actor. */
  readonly table: Table;
  /** The rows that the actor may read. Statements of views read rows only from here. */
  readonly source: ReadableTable;
  /** The schema in which the table was found. It may be outdated for routes with `mutates`. */
  readonly schema: Schema;
}

/** The kind of a target. */
export type TargetKind = keyof Targets;
/** The target of one kind. */
export type TargetOf<Kind extends TargetKind> = Targets[Kind];
/** A target of any kind, told apart by `kind`. */
export type Target = Targets[TargetKind];

/** The form in which a renderer needs rows; `none` for no rows. */
export type RowForm = "arrays" | "objects" | "cells" | "none";

/** What the renderer uses of a page. Views compute nothing else. */
export interface Wants {
  readonly rows: RowForm;
  /** How infinities are written in JSON rows. */
  readonly infinity: "null" | "words";
  /** Parts that need a query of their own. */
  readonly parts: ReadonlySet<Part>;
  /** Foreign keys are labelled unless the request says otherwise. */
  readonly labels: boolean;
  /** The whole result is needed, without page limits; the view returns `stream`. */
  readonly stream: boolean;
  /**
   * `sizes` if the renderer needs no bytes of long BLOBs: rows of tables that have a path may contain an `UnreadBlob` in
   * their place. `typed` if it needs them in columns with a column type only. Default: all bytes.
   */
  readonly longBlobs?: "sizes" | "typed";
  /** `bytes` if the renderer needs the bytes of TEXT that is not valid UTF-8, in `cells`. Default: with U+FFFD. */
  readonly malformedText?: "bytes";
  /**
   * The failures of a statement that the renderer shows itself, with `error` in the data of the page: `sql` for mistakes in
   * the SQL, `all` also for statements that are not allowed or take too long. Default: the error is the reply.
   */
  readonly failures?: "sql" | "all";
  /** The largest number of cells of a page: wide tables get fewer rows. Absent for no limit. */
  readonly maxCells?: number;
}

/** The wants of replies without a renderer: no rows and no parts. */
export const nothingWanted: Wants = {
  rows: "none",
  infinity: "null",
  parts: new Set(),
  labels: false,
  stream: false,
};

/** A part of a page that is computed only if the renderer uses it. Plugins may add names. */
export type Part = "count" | "facets" | "suggestions" | "labels" | (string & {});

/** A request with its route, target and actor, as views receive it. */
export interface Visit<Kind extends TargetKind = TargetKind> {
  readonly rowhouse: Rowhouse;
  readonly request: Request;
  readonly actor: Actor | null;
  readonly route: Route;
  readonly target: TargetOf<Kind>;
  /** The names in the path that the kernel looks up. */
  readonly names: NamesOf<Kind>;
  /** Values of the other `:names` of the route's path, tilde-decoded; of a RegExp route its named groups, raw. */
  readonly params: Readonly<Record<string, string>>;
  /** True if this actor may view the target and anonymous clients may not. */
  readonly private: boolean;
  /** The chosen output format: `html`, `json`, `csv`, ... */
  readonly format: string;
  readonly wants: Wants;
  /** The request's path without a format extension. */
  readonly basePath: string;
}

/** The result of a view: data without markup. */
export interface Page {
  /** The name of the template: `index`, `database`, `table`, `row`, `query`, or a name of the plugin. */
  readonly name: string;
  /** The status of the reply, which renderers pass on. Default 200. */
  readonly status?: number;
  /** The JSON document with its keys in order. The key `rows` marks the position of the rows. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly rows?: RowSet;
  /** The whole result in batches, for `wants.stream`. */
  readonly stream?: RowStream;
  /** Data for HTML and other formats that is not part of the JSON document. */
  readonly context?: Readonly<Record<string, unknown>>;
  /** Headers of the reply, which renderers pass on: `cache-control` for a count that is not final. */
  readonly headers?: Readonly<Record<string, string>>;
  /** True if JSON arguments such as `_shape` have no effect on this page. */
  readonly plain?: boolean;
}

/** The type of `context` by the name of the page. Contracts and plugins add theirs by declaration merging. */
export interface PageContexts {}

/**
 * The context of a page with the type of its contract. The caller has checked the name of the page.
 *
 * @example
 * contextOf({ name: "index", data: {}, context: { databases: [] } }).databases; // []
 */
export const contextOf = <Name extends keyof PageContexts>({ context }: Page): PageContexts[Name] =>
  context as unknown as PageContexts[Name];

/**
 * A foreign key value with the label of the row that it references.
 *
 * @example
 * plainValue(new Labelled(7, "Emma")); // 7
 */
export class Labelled {
  constructor(
    readonly value: SqlValue,
    readonly label: SqlValue,
  ) {}
}

/** A value of a row as renderers receive it. */
export type Cell = SqlValue | Labelled;

/** The rows of a page in the form of `wants.rows`. */
export interface RowSet {
  readonly columns: readonly string[];
  /** One JSON text per row, for `wants.rows` `arrays` and `objects`. */
  readonly json: readonly string[] | null;
  /** Typed values, for `wants.rows` `cells` and for views that change values. */
  readonly cells: readonly (readonly Cell[])[] | null;
  /** The columns of the row path; empty if rows have no path. */
  readonly keys: readonly string[];
  /** The row paths in row order, if the keys are not among the columns. Otherwise see `rowPaths`. */
  readonly paths?: readonly (string | null)[];
}

/** A result in batches. */
export interface RowStream {
  readonly columns: readonly string[];
  readonly keys: readonly string[];
  /** The columns whose cells may be `Labelled`. */
  readonly labelled: readonly string[];
  readonly batches: AsyncIterable<RowSet>;
}

/**
 * The names in a path with a target of this kind: `:database` and `:resource` decoded, `:key` as sent. A path may
 * have more names than its target needs; the kernel does not look them up for routes with `requires`.
 */
export type NamesOf<Kind extends TargetKind> = Kind extends "instance"
  ? { readonly database?: string; readonly resource?: string; readonly key?: string }
  : {
      readonly database: string;
      readonly resource: Kind extends "database" ? string | undefined : string;
      readonly key?: string;
    };

/** A route for targets of one kind. */
export interface RouteFor<Kind extends TargetKind> {
  readonly name: string;
  /** Default GET, which includes HEAD. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * A pattern such as `/:database/:resource{.:format}`: the kernel looks up `:database`, `:resource` and `:key`; other
   * names are in `params`; `{.:format}` at the end selects the renderer. Or a RegExp with named groups, which is matched
   * from the start of the path as sent.
   */
  readonly path: string | RegExp;
  /** The kind of the target. Plugins in JavaScript may omit it for `instance`. */
  readonly target: Kind;
  /** A condition, for routes that share a path. Routes with a condition are tried before those without one. */
  readonly when?: (request: Request) => boolean;
  /**
   * For pages: a chain of permissions, of which the first with an opinion decides. It is checked after the target was
   * found, so names that do not exist are 404 for every client. Default none. See `requires` for routes that act.
   */
  readonly permissions?: (target: TargetOf<Kind>) => Chain;
  /**
   * For routes that act on something: permissions of which all are required. They are checked by name, before anything is
   * looked up: clients that may neither act nor view get the same 403 for every name. Replaces `permissions`.
   */
  readonly requires?: (names: NamesOf<Kind>) => Chain;
  /** With `requires`: clients with these permissions get 404 for names that do not exist. Default: `permissionChain(names)`. */
  readonly visibleWith?: (names: NamesOf<Kind>) => Chain;
  /** With `requires`: a further check that the target exists, which comes before the 403. @throws NotFound and the like */
  readonly verify?: (context: VerifyContext<Kind>) => Awaitable<void>;
  /**
   * With `requires`: the route writes to the database of its target, or is the form for it. Immutable databases are refused
   * with 403. Except for GET, tables are looked up in the last known schema, which does not wait for a commit: pass
   * `target.schema` to `Database.write`.
   */
  readonly mutates?: boolean;
  /** The message for clients that are denied. Default: the name of the action; with `requires`, `Permission denied`. */
  readonly refusal?: string;
  readonly view: (visit: Visit<Kind>) => Awaitable<Page | Reply>;
}

/** The arguments of `verify`. */
export interface VerifyContext<Kind extends TargetKind> {
  readonly rowhouse: Rowhouse;
  readonly actor: Actor | null;
  readonly target: TargetOf<Kind>;
  readonly names: NamesOf<Kind>;
}

/**
 * Types the functions of a route by its target.
 *
 * @example
 * defineRoute({
 *   name: "archive-table",
 *   method: "POST",
 *   path: "/:database/:resource/-/archive",
 *   target: "table",
 *   requires: ({ database, resource }) => [["drop-table", [database, resource]]],
 *   mutates: true,
 *   view: ({ target }) => archive(target),
 * });
 */
export const defineRoute = <Kind extends TargetKind>(route: RouteFor<Kind>): RouteFor<Kind> => route;

/** A route as plugins register it. */
export type Route = { readonly [Kind in TargetKind]: RouteFor<Kind> }[TargetKind];

/** An output format. */
export interface Renderer {
  /** The extension in URLs. `html` is used for paths without one. */
  readonly extension: string;
  /** @deprecated has no effect: the reply of `render` has the content type */
  readonly contentType?: string;
  wants(request: Request): Wants;
  /** A reply instead of the view, such as a redirect to another format; null for the view. */
  redirect?(visit: Visit): Reply | null;
  render(page: Page, visit: Visit): Awaitable<Reply>;
  /** True if the page offers a link to this format. Default false. */
  canRender?(page: Page): boolean;
}
