import { bundledHooks, bundledSettings, definePlugin } from "rowhouse/plugin-api";
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
  settings: bundledSettings.pages,
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
