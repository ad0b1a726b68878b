import type { Database } from "./database.js";
import type { Table } from "./schema.js";
import type { Awaitable } from "./hooks.js";
import type { Actor, Chain } from "./permissions.js";
import type { Reply, Request } from "./request.js";
import type { Rowhouse } from "./rowhouse.js";
import type { SqlValue } from "./values.js";

/** The thing a URL names. Plugins add kinds by declaration merging. */
export interface Targets {
  instance: { readonly kind: "instance" };
  database: { readonly kind: "database"; readonly database: Database };
  /** A table or a view. */
  table: { readonly kind: "table"; readonly database: Database; readonly table: Table };
  /** `key` holds the decoded parts of the row path. */
  row: {
    readonly kind: "row";
    readonly database: Database;
    readonly table: Table;
    readonly key: readonly string[];
  };
}

/** What kinds of thing a URL can name. */
export type TargetKind = keyof Targets;
/** The target of one kind. */
export type TargetOf<Kind extends TargetKind> = Targets[Kind];
/** A target of any kind, told apart by `kind`. */
export type Target = Targets[TargetKind];

/** In what form a renderer takes rows; `none` when it shows none. */
export type RowForm = "arrays" | "objects" | "cells" | "none";

/** What the chosen renderer will use of a page, so that nothing else is computed. */
export interface Wants {
  readonly rows: RowForm;
  /** How infinities are written in JSON rows. */
  readonly infinity: "null" | "words";
  /** Parts that cost a query of their own. */
  readonly parts: ReadonlySet<Part>;
  /** Foreign keys are labelled unless the request says otherwise. */
  readonly labels: boolean;
  /** The whole result is asked for, page limits aside; the view answers with `stream`. */
  readonly stream: boolean;
  /** More cells than these are not shown: a page has fewer rows where rows are wide. Absent for no limit. */
  readonly maxCells?: number;
}

/** What is computed where nobody will show it. */
export const nothingWanted: Wants = {
  rows: "none",
  infinity: "null",
  parts: new Set(),
  labels: false,
  stream: false,
};

/** A part of a page that is computed only when wanted; plugins name their own. */
export type Part = "count" | "facets" | "suggestions" | "labels" | (string & {});

/** Everything known about one request by the time a view runs. */
export interface Visit<Kind extends TargetKind = TargetKind> {
  readonly rowhouse: Rowhouse;
  readonly request: Request;
  readonly actor: Actor | null;
  readonly route: Route;
  readonly target: TargetOf<Kind>;
  /** Values of the other `:names` of the route's path, tilde-decoded; of a RegExp route its named groups, raw. */
  readonly params: Readonly<Record<string, string>>;
  /** True when this actor may see the target but an anonymous visitor may not. */
  readonly private: boolean;
  /** The chosen output format: `html`, `json`, `csv`, ... */
  readonly format: string;
  readonly wants: Wants;
  /** The request's path without a format extension. */
  readonly basePath: string;
}

/** What a view returns: plain data, no markup. */
export interface Page {
  /** `index`, `database`, `table`, `row`, `query`, or a plugin's own: chooses the template. */
  readonly name: string;
  /** Default 200. */
  readonly status?: number;
  /** The published document, its keys in published order. The key `rows`, if present, marks the place of the rows. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly rows?: RowSet;
  /** The whole result in batches, when `wants.stream` asked for it. */
  readonly stream?: RowStream;
  /** Facts for pages and other formats that are not part of the JSON document. */
  readonly context?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The page tells the same thing whoever asks for JSON arguments such as `_shape`: they do not apply. */
  readonly plain?: boolean;
}

/** What `context` of a page holds, by the page's name. Contracts and plugins add theirs by declaration merging. */
export interface PageContexts {}

/** The context of a page of this name, as its contract declares it. */
export const contextOf = <Name extends keyof PageContexts>({ context }: Page): PageContexts[Name] =>
  context as unknown as PageContexts[Name];

/** A foreign key shown with the label of the row it points at. */
export class Labelled {
  constructor(
    readonly value: SqlValue,
    readonly label: SqlValue,
  ) {}
}

/** A value of a row as renderers meet it. */
export type Cell = SqlValue | Labelled;

/** The rows of a page, in the form the renderer wanted. */
export interface RowSet {
  readonly columns: readonly string[];
  /** Finished JSON text a row (`wants.rows` was `arrays` or `objects`). */
  readonly json: readonly string[] | null;
  /** Typed cells (`wants.rows` was `cells`, or the view had to touch the values). */
  readonly cells: readonly (readonly Cell[])[] | null;
  /** Columns whose values make a row's path; empty where rows have none. */
  readonly keys: readonly string[];
  /** Row paths in row order when the keys are not among the columns; else they are made from the cells. */
  readonly paths?: readonly (string | null)[];
}

/** A result in batches, its columns known beforehand. */
export interface RowStream {
  readonly columns: readonly string[];
  readonly keys: readonly string[];
  /** Columns that carry labels, each cell of which may be `Labelled`. */
  readonly labelled: readonly string[];
  readonly batches: AsyncIterable<RowSet>;
}

/** A route to targets of one kind. */
export interface RouteFor<Kind extends TargetKind> {
  readonly name: string;
  /** Default GET. HEAD goes wherever GET does. */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /**
   * `/:database/:resource{.:format}`: `:database`, `:resource` and `:key` are located for you, other names are
   * in `params`; `{.:format}` at the end picks the renderer. Or a RegExp with named groups, matched from the
   * start of the raw path.
   */
  readonly path: string | RegExp;
  /** What the path must turn out to name. JavaScript may leave it out: then `instance`. */
  readonly target: Kind;
  /** Routes may share a path: the first whose `when` is true, or absent, is taken. */
  readonly when?: (request: Request) => boolean;
  /** Checked before the view runs, most specific first; the first opinion settles it. */
  readonly permissions?: (target: TargetOf<Kind>) => Chain;
  /** What a refusal says; default the action's name. */
  readonly refusal?: string;
  readonly view: (visit: Visit<Kind>) => Awaitable<Page | Reply>;
}

/** A route as plugins register it. */
export type Route = { readonly [Kind in TargetKind]: RouteFor<Kind> }[TargetKind];

/** An output format. */
export interface Renderer {
  /** `html` is used where a path has no extension. */
  readonly extension: string;
  readonly contentType?: string;
  wants(request: Request): Wants;
  render(page: Page, visit: Visit): Awaitable<Reply>;
  /** Offered as an export link for this page? Default no. */
  canRender?(page: Page): boolean;
}
