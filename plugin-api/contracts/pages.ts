import { defineSettings, type SettingsOf } from "../kernel/settings.js";
import type { HookPolicy } from "../kernel/hooks.js";
import { defineHooks, hook, type HooksOf } from "../kernel/define-hooks.js";
import { menuItem, objectOf, textOrHtml, textOrObjectWith, type Expected } from "../kernel/hook-results.js";
import { Html } from "../html/markup.js";
import type { Actor } from "../access/permissions.js";
import type { Reply, Request } from "../http/request.js";
import type { Cell } from "../http/route.js";
import type { GivenColumnType } from "./column-types.js";

/** A link of a menu. */
export interface Link {
  readonly href: string;
  readonly label: string;
  readonly description?: string;
  /** True for actions that add rows or tables: pages of empty tables and databases offer them instead. */
  readonly addsRows?: boolean;
  /** True for links that sign people in: pages that refuse a request to anonymous clients offer them. */
  readonly signsIn?: boolean;
}

/** A button instead of a link, for actions that need script or a form. */
export interface ActionButton {
  readonly type: "button";
  readonly label: string;
  readonly description?: string;
  /** Attributes for the script: `data-...`, `aria-...`, `id`, `class`, `title`, `name` and `value`; others are left out. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** `attributes` under the name that Datasette gives them. */
  readonly attrs?: Readonly<Record<string, string>>;
}

/** An entry of a menu. */
export type MenuItem = Link | ActionButton;
/** A style sheet or script by URL; `sri` is its hash for subresource integrity. */
export type Asset = string | { readonly url: string; readonly sri?: string; readonly module?: boolean };
/** The text of a script; with `module` it is a module. */
export type BodyScript = string | { readonly script: string; readonly module?: boolean };

/** Values and functions for all templates. */
export interface TemplateEnvironment {
  /** Adds `it.name`. A value of the page with the same name wins. */
  addGlobal(name: string, value: unknown): void;
  /** Adds `it.filters.name(value)`. Text that it returns is escaped, `Html` is not. */
  addFilter(name: string, filter: (value: never, ...rest: never[]) => unknown): void;
}

/** The arguments of hooks for all pages. `columns` and `table` are null for pages without rows of a table. */
export interface PageFacts {
  readonly template: string;
  readonly viewName: string;
  readonly database: string | null;
  readonly table: string | null;
  readonly columns: readonly string[] | null;
  readonly request: Request;
  readonly actor: Actor | null;
}

/** A source of the Content-Security-Policy: `img-src`, `https://tiles.example.org`. */
export interface CspSource {
  readonly directive: `${"img" | "script" | "style" | "connect" | "font" | "media" | "frame"}-src`;
  /** An origin, or a scheme such as `blob:`. Keywords such as `unsafe-inline` are rejected. */
  readonly source: string;
}

/** The request of a page, and facts about the page for hooks. */
export interface RenderOptions {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly status?: number;
  /** Default: the name of the template without extension. */
  readonly viewName?: string;
  readonly database?: string;
  readonly table?: string;
  readonly columns?: readonly string[];
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** The service `pages`: renders pages of plugins in the layout of the site. */
export interface Pages {
  /** The folder of the site's own style sheets and scripts, served at `/-/static/`, with `favicon.png`. */
  readonly assets?: URL;
  /**
   * Renders the first of these templates that exists, in the layout of the site. Values of `context` are escaped when
   * they are printed.
   */
  render(
    templates: string | readonly string[],
    context: Readonly<Record<string, unknown>>,
    options: RenderOptions,
  ): Promise<Reply>;
}

/** The arguments of hooks for the page of the instance. */
export interface InstancePage {
  readonly request: Request;
  readonly actor: Actor | null;
}

/** The arguments of hooks for the page of a database. */
export interface DatabasePage {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly database: string;
}

/** The arguments of hooks for the page of a table or view. */
export interface TablePage {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly database: string;
  readonly table: string;
}

/** The arguments of hooks for the page of a row. */
export interface RowPage {
  readonly request: Request;
  readonly actor: Actor | null;
  readonly database: string;
  readonly table: string;
  readonly rowPath: string;
  /** The values of the row by column. A BLOB over 256 KiB is an `UnreadBlob`. */
  readonly row: Readonly<Record<string, Cell>>;
}

/** For hooks without which a page is complete: a function that fails is skipped. */
const decoration = (expects: Expected): HookPolicy => ({ affects: "html", failing: "skip", expects });
const menu = decoration(menuItem);
const markup = decoration({ what: "markup that html`...` made", is: (answer) => answer instanceof Html });

/** The hooks of the plugin that owns this contract. */
export const pageHooks = defineHooks({
  /** Each cell of a page: how it is shown. Text is escaped, `Html` is not. Keep it fast. */
  render_cell: hook.first<
    {
      readonly value: Cell;
      readonly column: string;
      readonly row: Readonly<Record<string, Cell>>;
      readonly table: string | null;
      readonly primaryKeys: readonly string[];
      /** The type of the column. The result of this hook wins over that of the type. */
      readonly columnType: GivenColumnType | null;
      readonly database: string;
      readonly request: Request;
      readonly actor: Actor | null;
    },
    string | Html
  >(decoration(textOrHtml)),
  /**
   * Each page: other sites from which it may load. By default the Content-Security-Policy allows only this site and
   * the URLs of `extra_css_urls` and `extra_js_urls`.
   */
  csp_sources: hook.collect<PageFacts, CspSource>(
    decoration(objectOf("an object with directive and source")),
  ),
  /** Each page: URLs of style sheets for its head. */
  extra_css_urls: hook.collect<PageFacts, Asset>(decoration(textOrObjectWith("url"))),
  /** Each page: URLs of scripts for its head; with `module` one is a module. */
  extra_js_urls: hook.collect<PageFacts, Asset>(decoration(textOrObjectWith("url"))),
  /**
   * Each page: the text of a script. It is served as a separate file, so that the Content-Security-Policy can forbid
   * inline scripts.
   */
  extra_body_script: hook.collect<PageFacts, BodyScript>(decoration(textOrObjectWith("script"))),
  /**
   * Each page: variables for its template. They win over the page's own variables of the same name, and those of later
   * plugins over those of earlier ones. Functions may return promises: templates get the results.
   */
  extra_template_vars: hook.collect<PageFacts, Readonly<Record<string, unknown>>>(
    decoration(objectOf("an object of variables")),
  ),
  /** Each page: markup for its header, between the breadcrumbs and the menu. */
  header_items: hook.collect<PageFacts, Html>(markup),
  /** Each page: entries of the menu at the top. */
  menu_links: hook.collect<InstancePage, MenuItem>(menu),
  /** The page of the instance: entries of its menu of actions. */
  homepage_actions: hook.collect<InstancePage, MenuItem>(menu),
  /** The page of a database: entries of its menu of actions. */
  database_actions: hook.collect<DatabasePage, MenuItem>(menu),
  /** The page of a table: entries of its menu of actions. */
  table_actions: hook.collect<TablePage, MenuItem>(menu),
  /** The page of a view: entries of its menu of actions. */
  view_actions: hook.collect<
    {
      readonly request: Request;
      readonly actor: Actor | null;
      readonly database: string;
      readonly view: string;
    },
    MenuItem
  >(menu),
  /** The page of SQL or of a canned query (`queryName`): entries of its menu of actions. */
  query_actions: hook.collect<
    {
      readonly request: Request;
      readonly actor: Actor | null;
      readonly database: string;
      readonly queryName: string | null;
      readonly sql: string;
      /** The values of the parameters from the request. */
      readonly params: Readonly<Record<string, string>>;
    },
    MenuItem
  >(menu),
  /** The page of a row: entries of its menu of actions. `rowPath` is the row path. */
  row_actions: hook.collect<RowPage, MenuItem>(menu),
  /** The page of the instance: markup below its heading. */
  top_homepage: hook.collect<InstancePage, Html>(markup),
  /** The page of a database: markup below its heading. */
  top_database: hook.collect<DatabasePage, Html>(markup),
  /** The page of a table or view: markup below its heading. */
  top_table: hook.collect<TablePage, Html>(markup),
  /** The page of a row: markup below its heading. */
  top_row: hook.collect<RowPage, Html>(markup),
  /** The page of a canned query: markup below that of `top_query`. */
  top_stored_query: hook.collect<
    {
      readonly request: Request;
      readonly actor: Actor | null;
      readonly database: string;
      readonly queryName: string;
      readonly sql: string;
      /** The values of the parameters from the request. */
      readonly params: Readonly<Record<string, string>>;
    },
    Html
  >(markup),
  /** Once, before the first page: values and functions for every template. */
  prepare_template_environment: hook.notify<{ readonly environment: TemplateEnvironment }>({
    affects: "html",
    failing: "skip",
  }),
  /** The page of SQL or of a canned query: markup below its heading. */
  top_query: hook.collect<
    {
      readonly request: Request;
      readonly actor: Actor | null;
      readonly database: string;
      readonly sql: string;
      /** The values of the parameters from the request. */
      readonly params: Readonly<Record<string, string>>;
    },
    Html
  >(markup),
});

declare module "../kernel/hooks.js" {
  interface HookTable extends HooksOf<typeof pageHooks> {}
}

/** The settings of the plugin pages. */
export const pagesSettings = defineSettings({
  truncate_cells_html: {
    default: 2048,
    help: "Truncate cells longer than this in HTML table view - set 0 to disable",
  },
  /** 0 is no limit. */
  max_html_columns: {
    default: 500,
    help: "Columns of a table or result that a page shows - set 0 for no limit",
    unlisted: true,
  },
  max_html_cells: {
    default: 100_000,
    help: "Cells that a page shows: fewer rows of wide results - set 0 for no limit",
    unlisted: true,
  },
  max_html_kb: {
    default: 8192,
    help: "Size of the rows on a page, in KB - set 0 for no limit",
    unlisted: true,
  },
  template_debug: { default: false, help: "Allow display of template debug information with ?_context=1" },
});

declare module "../kernel/rowhouse.js" {
  interface Services {
    pages: Pages;
  }
  interface Settings extends SettingsOf<typeof pagesSettings> {}
  interface Options {
    templateDir: string;
    /** Mounts of `--static MOUNT:DIR`. */
    staticMounts: readonly { readonly mount: string; readonly folder: string }[];
  }
}
