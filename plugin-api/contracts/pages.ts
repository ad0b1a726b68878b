import type { Collect, First } from "../hooks.js";
import type { Html } from "../html.js";
import type { Actor } from "../permissions.js";
import type { Reply, Request } from "../request.js";
import type { Cell } from "../route.js";

export interface Link {
  readonly href: string;
  readonly label: string;
  readonly description?: string;
}

/** A button instead of a link, for actions that need script or a form. */
export interface ActionButton {
  readonly type: "button";
  readonly label: string;
  readonly description?: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export type MenuItem = Link | ActionButton;
export type Asset = string | { readonly url: string; readonly sri?: string; readonly module?: boolean };
export type BodyScript = string | { readonly script: string; readonly module?: boolean };

/** What the page-wide hooks are told. `columns`, `table` are null outside table-like pages. */
export interface PageFacts {
  readonly template: string;
  readonly viewName: string;
  readonly database: string | null;
  readonly table: string | null;
  readonly columns: readonly string[] | null;
  readonly request: Request;
  readonly actor: Actor | null;
}

export interface RenderOptions {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly status?: number;
  /** Default the template's name without its ending. */
  readonly viewName?: string;
  readonly database?: string;
  readonly table?: string;
  readonly columns?: readonly string[];
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

export interface Pages {
  /**
   * A page of the site from the first of these templates that exists, inside the common frame.
   * `context` values are escaped where they are printed.
   */
  render(
    templates: string | readonly string[],
    context: Readonly<Record<string, unknown>>,
    options: RenderOptions,
  ): Promise<Reply>;
}

declare module "../hooks.js" {
  interface HookTable {
    /** Each cell of a page; hot. Text is escaped, `Html` is taken as it is. */
    render_cell: First<
      {
        readonly value: Cell;
        readonly column: string;
        readonly row: Readonly<Record<string, Cell>>;
        readonly table: string | null;
        readonly primaryKeys: readonly string[];
        readonly database: string;
        readonly request: Request;
        readonly actor: Actor | null;
      },
      string | Html
    >;
    extra_css_urls: Collect<PageFacts, Asset>;
    extra_js_urls: Collect<PageFacts, Asset>;
    /** Served from our own origin as a file of its own, so that the Content-Security-Policy stays strict. */
    extra_body_script: Collect<PageFacts, BodyScript>;
    extra_template_vars: Collect<PageFacts, Readonly<Record<string, unknown>>>;
    /** In the header of every page, between the breadcrumbs and the menu. */
    header_items: Collect<PageFacts, Html>;
    menu_links: Collect<{ readonly request: Request; readonly actor: Actor | null }, MenuItem>;
    homepage_actions: Collect<{ readonly request: Request; readonly actor: Actor | null }, MenuItem>;
    database_actions: Collect<
      { readonly request: Request; readonly actor: Actor | null; readonly database: string },
      MenuItem
    >;
    table_actions: Collect<
      {
        readonly request: Request;
        readonly actor: Actor | null;
        readonly database: string;
        readonly table: string;
      },
      MenuItem
    >;
    view_actions: Collect<
      {
        readonly request: Request;
        readonly actor: Actor | null;
        readonly database: string;
        readonly view: string;
      },
      MenuItem
    >;
    query_actions: Collect<
      {
        readonly request: Request;
        readonly actor: Actor | null;
        readonly database: string;
        readonly queryName: string | null;
        readonly sql: string;
      },
      MenuItem
    >;
    row_actions: Collect<
      {
        readonly request: Request;
        readonly actor: Actor | null;
        readonly database: string;
        readonly table: string;
        readonly rowPath: string;
      },
      MenuItem
    >;
    top_homepage: Collect<{ readonly request: Request; readonly actor: Actor | null }, Html>;
    top_database: Collect<
      { readonly request: Request; readonly actor: Actor | null; readonly database: string },
      Html
    >;
    top_table: Collect<
      {
        readonly request: Request;
        readonly actor: Actor | null;
        readonly database: string;
        readonly table: string;
      },
      Html
    >;
    top_row: Collect<
      {
        readonly request: Request;
        readonly actor: Actor | null;
        readonly database: string;
        readonly table: string;
        readonly rowPath: string;
      },
      Html
    >;
    top_query: Collect<
      {
        readonly request: Request;
        readonly actor: Actor | null;
        readonly database: string;
        readonly sql: string;
      },
      Html
    >;
  }
}

declare module "../rowhouse.js" {
  interface Services {
    pages: Pages;
  }
  interface Settings {
    truncate_cells_html: number;
    template_debug: boolean;
  }
  interface Options {
    templateDir: string;
    /** Mounts of `--static MOUNT:DIR`. */
    staticMounts: readonly { readonly mount: string; readonly folder: string }[];
  }
}
