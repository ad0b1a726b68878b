import { bundledHooks, definePlugin } from "rowhouse/plugin-api";
import { customPage } from "./custom-pages.js";
import { defaultMenu } from "./default-menu.js";
import { pageScriptRoute } from "./page-script.js";
import { patternsRoute } from "./patterns-page.js";
import { htmlRenderer } from "./renderer.js";
import { secured } from "./security-headers.js";
import { Site } from "./site.js";
import type { Rowhouse } from "rowhouse/plugin-api";

const sites = new WeakMap<Rowhouse, Site>();

/** The instance's pages, made when they are first asked for. */
function siteOf(rowhouse: Rowhouse): Site {
  const site = sites.get(rowhouse) ?? new Site(rowhouse);
  sites.set(rowhouse, site);
  return site;
}

/** HTML for people: the `html` renderer, and the frame other plugins put their pages into. */
export default definePlugin({
  name: "pages",
  deterministic: true,
  unguarded: true,
  provides: ["pages"],
  optional: ["columnTypes", "csrf", "messages", "metadata"],
  static: new URL("static/", import.meta.url),
  settings: [
    {
      name: "truncate_cells_html",
      default: 2048,
      help: "Truncate cells longer than this in HTML table view - set 0 to disable",
    },
    {
      name: "max_html_columns",
      default: 500,
      help: "Columns of a table or result that a page shows - set 0 for no limit",
      unlisted: true,
    },
    {
      name: "max_html_cells",
      default: 100_000,
      help: "Cells that a page shows: fewer rows of wide results - set 0 for no limit",
      unlisted: true,
    },
    {
      name: "max_html_kb",
      default: 8192,
      help: "Size of the rows on a page, in KB - set 0 for no limit",
      unlisted: true,
    },
    {
      name: "template_debug",
      default: false,
      help: "Allow display of template debug information with ?_context=1",
    },
  ],
  hooks: bundledHooks.pages,
  apply: (rowhouse) => rowhouse.provide("pages", siteOf(rowhouse)),
  register_output_renderer: (rowhouse) => htmlRenderer(siteOf(rowhouse), rowhouse),
  register_routes: (rowhouse) => [pageScriptRoute, patternsRoute(siteOf(rowhouse))],
  menu_links: (rowhouse, { actor }) => defaultMenu(rowhouse, actor),
  finish_reply: (_rowhouse, { value }) => secured(value),
  handle_exception: {
    // Before the error page, which answers everything.
    order: "early",
    run: (rowhouse, missed) => customPage(rowhouse, siteOf(rowhouse), missed),
  },
});
