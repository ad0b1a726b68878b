import {
  Html,
  menuItem,
  objectOf,
  textOrHtml,
  textOrObjectWith,
  type Expected,
  type HookSpec,
} from "rowhouse/plugin-api";

/** What a page can do without: a plugin that fails leaves its place empty. */
const decoration = (expects: Expected): HookSpec => ({
  kind: "collect",
  affects: "html",
  failing: "skip",
  expects,
});

const menu = decoration(menuItem);
const markup = decoration({ what: "markup that html`...` made", is: (answer) => answer instanceof Html });

/** The hooks of pages, by name. */
export const pageHooks: Readonly<Record<string, HookSpec>> = {
  render_cell: { kind: "first", affects: "html", failing: "skip", expects: textOrHtml },
  csp_sources: decoration(objectOf("an object with directive and source")),
  extra_css_urls: decoration(textOrObjectWith("url")),
  extra_js_urls: decoration(textOrObjectWith("url")),
  extra_body_script: decoration(textOrObjectWith("script")),
  extra_template_vars: decoration(objectOf("an object of variables")),
  header_items: markup,
  menu_links: menu,
  homepage_actions: menu,
  database_actions: menu,
  table_actions: menu,
  view_actions: menu,
  query_actions: menu,
  row_actions: menu,
  top_homepage: markup,
  top_database: markup,
  top_table: markup,
  top_row: markup,
  top_query: markup,
  top_stored_query: markup,
  prepare_template_environment: { kind: "notify", affects: "html", failing: "skip" },
};
