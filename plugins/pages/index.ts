import { definePlugin, type Actor, type Link, type Rowhouse } from "rowhouse/plugin-api";
import { bundledHooks, bundledSettings } from "rowhouse/plugin-api/contracts";
import { customPage } from "./custom-pages.js";
import { pageScriptRoute } from "./assets.js";
import { languageRoutes } from "./language/choose-page.js";
import { Languages } from "./language/languages.js";
import { patternsRoute } from "./patterns-page.js";
import { htmlRenderer } from "./renderer.js";
import { withSecurityHeaders } from "./security-headers.js";
import { Site } from "./site.js";

/** HTML pages: the renderer `html`, and the frame for pages of other plugins. */
export default definePlugin({
  name: "pages",
  deterministic: true,
  unguarded: true,
  provides: ["pages", "texts"],
  optional: ["columnTypes", "csrf", "messages", "metadata", "tables"],
  static: new URL("static/", import.meta.url),
  settings: bundledSettings.pages,
  hooks: bundledHooks.pages,
  menu_links: (rowhouse, { actor }) => defaultMenu(rowhouse, actor),
  finish_reply: withSecurityHeaders,
  setup(rowhouse) {
    const languages = new Languages(rowhouse);
    const site = new Site(rowhouse, languages);
    rowhouse.provide("pages", site);
    rowhouse.provide("texts", languages);
    return {
      startup: () => languages.collect(),
      register_output_renderer: () => htmlRenderer(site, rowhouse),
      register_routes: () => [pageScriptRoute, patternsRoute(site), ...languageRoutes(languages)],
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
