import type { Collect, First, Notify } from "../hooks.js";
import type { Html } from "../html.js";
import type { Actor } from "../permissions.js";
import type { Reply, Request } from "../request.js";
import type { Cell } from "../route.js";
import type { GivenColumnType } from "./column-types.js";

/** A link of a menu. */
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

/** An entry of a menu. */
export type MenuItem = Link | ActionButton;
/** A style sheet or script by its address; `sri` is the hash that browsers hold it to. */
export type Asset = string | { readonly url: string; readonly sri?: string; readonly module?: boolean };
/** The text of a script; `module` makes it one. */
export type BodyScript = string | { readonly script: string; readonly module?: boolean };

/** What every template finds beside the values of its page. */
export interface TemplateEnvironment {
  /** `<%= it.name %>`; a page's own value of that name wins. */
  addGlobal(name: string, value: unknown): void;
  /** `<%= it.filters.name(value) %>`. Text it returns is escaped, `Html` is taken as it is. */
  addFilter(name: string, filter: (value: never, ...rest: never[]) => unknown): void;
}

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

/** A source that one kind of thing may come from: `img-src`, `https://tiles.example.org`. */
export interface CspSource {
  readonly directive:
    "img-src" | "script-src" | "style-src" | "connect-src" | "font-src" | "media-src" | "frame-src";
  /** An origin, or a scheme such as `blob:`. Keywords that loosen the policy itself are not taken. */
  readonly source: string;
}

/** What a page is made for, and what the page-wide hooks are told of it. */
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

/** The service `pages`: pages of a plugin's own, in the frame of the site. */
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

/** Whose page of the instance it is. */
export interface InstancePage {
  readonly request: Request;
  readonly actor: Actor | null;
}

/** Whose page of which database it is. */
export interface DatabasePage {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly database: string;
}

/** Whose page of which table it is. */
export interface TablePage {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly database: string;
  readonly table: string;
}

declare module "../hooks.js" {
  interface HookTable {
    /** Each cell of a page, so it should be quick. Text is escaped, `Html` is taken as it is. */
    render_cell: First<
      {
        readonly value: Cell;
        readonly column: string;
        readonly row: Readonly<Record<string, Cell>>;
        readonly table: string | null;
        readonly primaryKeys: readonly string[];
        /** What the column is said to hold; a plugin's answer wins over that of the type. */
        readonly columnType: GivenColumnType | null;
        readonly database: string;
        readonly request: Request;
        readonly actor: Actor | null;
      },
      string | Html
    >;
    /**
     * What pages may load from elsewhere: the Content-Security-Policy otherwise keeps to this site. Addresses of
     * `extra_css_urls` and `extra_js_urls` are let in by themselves.
     */
    csp_sources: Collect<PageFacts, CspSource>;
    /** Each page: style sheets for its head, by address. */
    extra_css_urls: Collect<PageFacts, Asset>;
    /** Each page: scripts for its head, by address; `module` makes one a module. */
    extra_js_urls: Collect<PageFacts, Asset>;
    /**
     * Each page: a script for the end of its body. It is served as a file of its own, so that the
     * Content-Security-Policy stays strict.
     */
    extra_body_script: Collect<PageFacts, BodyScript>;
    /** Each page: variables for its template. A page's own variables win over equal names. */
    extra_template_vars: Collect<PageFacts, Readonly<Record<string, unknown>>>;
    /** Each page: markup for its header, between the breadcrumbs and the menu. */
    header_items: Collect<PageFacts, Html>;
    /** Each page: entries of the menu at the top. */
    menu_links: Collect<InstancePage, MenuItem>;
    /** The page of the instance: entries of its menu of actions. */
    homepage_actions: Collect<InstancePage, MenuItem>;
    /** The page of a database: entries of its menu of actions. */
    database_actions: Collect<DatabasePage, MenuItem>;
    /** The page of a table: entries of its menu of actions. */
    table_actions: Collect<TablePage, MenuItem>;
    /** The page of a view: entries of its menu of actions. */
    view_actions: Collect<
      {
        readonly request: Request;
        readonly actor: Actor | null;
        readonly database: string;
        readonly view: string;
      },
      MenuItem
    >;
    /** The page of SQL or of a saved query (`queryName`): entries of its menu of actions. */
    query_actions: Collect<
      {
        readonly request: Request;
        readonly actor: Actor | null;
        readonly database: string;
        readonly queryName: string | null;
        readonly sql: string;
        /** Values of the parameters, as they were asked for. */
        readonly params: Readonly<Record<string, string>>;
      },
      MenuItem
    >;
    /** The page of a row: entries of its menu of actions. `rowPath` is the row's place in URLs. */
    row_actions: Collect<
      {
        readonly request: Request;
        readonly actor: Actor | null;
        readonly database: string;
        readonly table: string;
        readonly rowPath: string;
        /** The values of the row by column. */
        readonly row: Readonly<Record<string, Cell>>;
      },
      MenuItem
    >;
    /** The page of the instance: markup below its heading. */
    top_homepage: Collect<InstancePage, Html>;
    /** The page of a database: markup below its heading. */
    top_database: Collect<DatabasePage, Html>;
    /** The page of a table or view: markup below its heading. */
    top_table: Collect<TablePage, Html>;
    /** The page of a row: markup below its heading. */
    top_row: Collect<
      {
        readonly request: Request;
        readonly actor: Actor | null;
        readonly database: string;
        readonly table: string;
        readonly rowPath: string;
        /** The values of the row by column. */
        readonly row: Readonly<Record<string, Cell>>;
      },
      Html
    >;
    /** The page of a saved query: markup below that of `top_query`. */
    top_stored_query: Collect<
      {
        readonly request: Request;
        readonly actor: Actor | null;
        readonly database: string;
        readonly queryName: string;
        readonly sql: string;
        /** Values of the parameters, as they were asked for. */
        readonly params: Readonly<Record<string, string>>;
      },
      Html
    >;
    /** Once, before the first page: values and functions for every template. */
    prepare_template_environment: Notify<{ readonly environment: TemplateEnvironment }>;
    /** The page of SQL or of a saved query: markup below its heading. */
    top_query: Collect<
      {
        readonly request: Request;
        readonly actor: Actor | null;
        readonly database: string;
        readonly sql: string;
        /** Values of the parameters, as they were asked for. */
        readonly params: Readonly<Record<string, string>>;
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
    /** 0 is no limit. */
    max_html_columns: number;
    max_html_cells: number;
    max_html_kb: number;
    template_debug: boolean;
  }
  interface Options {
    templateDir: string;
    /** Mounts of `--static MOUNT:DIR`. */
    staticMounts: readonly { readonly mount: string; readonly folder: string }[];
  }
}
