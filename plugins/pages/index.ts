import { definePlugin } from "rowhouse/plugin-api";
import type { Actor, Link, Rowhouse } from "rowhouse/plugin-api";
import { customPage } from "./custom-pages.js";
import { pageHooks } from "./hooks.js";
import { pageScriptRoute } from "./assets.js";
import { patternsRoute } from "./patterns-page.js";
import { htmlRenderer } from "./renderer.js";
import { withSecurityHeaders } from "./security-headers.js";
import { Site } from "./site.js";

/** HTML pages: the renderer `html`, and the frame for pages of other plugins. */
export default definePlugin({
  name: "pages",
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
  hooks: pageHooks,
  menu_links: (rowhouse, { actor }) => defaultMenu(rowhouse, actor),
  finish_reply: (_rowhouse, { value }) => withSecurityHeaders(value),
  setup(rowhouse) {
    const site = new Site(rowhouse);
    rowhouse.provide("pages", site);
    return {
      register_output_renderer: () => htmlRenderer(site, rowhouse),
      register_routes: () => [pageScriptRoute, patternsRoute(site)],
      handle_exception: {
        // Runs before the error page, which replies to all errors.
        order: "early",
        run: (_rowhouse, missed) => customPage(rowhouse, site, missed),
      },
    };
  },
});

const LINKS = [
  ["Databases", "/-/databases"],
  ["Installed plugins", "/-/plugins"],
  ["Version info", "/-/versions"],
  ["Metadata", "/-/metadata"],
  ["Settings", "/-/settings"],
  ["Debug permissions", "/-/permissions"],
  ["Debug messages", "/-/messages"],
  ["Debug allow rules", "/-/allow-debug"],
  ["Debug threads", "/-/threads"],
  ["Debug actor", "/-/actor"],
  ["Pattern portfolio", "/-/patterns"],
] as const;

/** The pages about the instance, for actors with `debug-menu`. */
export async function defaultMenu(rowhouse: Rowhouse, actor: Actor | null): Promise<Link[]> {
  if (!(await rowhouse.permissions.allowed(actor, "debug-menu"))) return [];
  return LINKS.map(([label, path]) => ({ label, href: rowhouse.urls.path(path) }));
}
