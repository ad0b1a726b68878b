import { definePlugin, type Actor, type Link, type Request, type Rowhouse } from "rowhouse/plugin-api";
import { bundledHooks, bundledSettings } from "rowhouse/plugin-api/contracts";
import { customPage } from "./custom-pages.js";
import { pageScriptRoute } from "./assets.js";
import { languageRoutes } from "./language/choose-page.js";
import { Languages } from "./language/languages.js";
import { scriptTextsRoute } from "./language/script-texts.js";
import { patternsRoute } from "./patterns-page.js";
import { htmlRenderer } from "./renderer.js";
import { withSecurityHeaders } from "./security-headers.js";
import { Site } from "./site.js";
import { tOf } from "./language/texts.js";

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
  menu_links: (rowhouse, asking) => defaultMenu(rowhouse, asking),
  finish_reply: withSecurityHeaders,
  setup(rowhouse) {
    const languages = new Languages(rowhouse);
    const site = new Site(rowhouse, languages);
    rowhouse.provide("pages", site);
    rowhouse.provide("texts", languages);
    return {
      startup: () => languages.collect(),
      register_output_renderer: () => htmlRenderer(site, rowhouse),
      register_routes: () => [
        pageScriptRoute,
        patternsRoute(site),
        ...languageRoutes(languages),
        scriptTextsRoute((language) => languages.scriptOf(language)),
      ],
      handle_exception: {
        // Runs before the error page, which replies to all errors.
        order: "early",
        run: (_rowhouse, missed) => customPage(rowhouse, site, missed),
      },
    };
  },
});

const LINKS = [
  ["menu.databases", "/-/databases"],
  ["menu.plugins", "/-/plugins"],
  ["menu.versions", "/-/versions"],
  ["menu.metadata", "/-/metadata"],
  ["menu.settings", "/-/settings"],
  ["menu.permissions", "/-/permissions"],
  ["menu.messages", "/-/messages"],
  ["menu.allow", "/-/allow-debug"],
  ["menu.threads", "/-/threads"],
  ["menu.actor", "/-/actor"],
  ["menu.patterns", "/-/patterns"],
] as const;

/** The pages about the instance, for actors with `debug-menu`. */
async function defaultMenu(
  rowhouse: Rowhouse,
  { request, actor }: { readonly request: Request; readonly actor: Actor | null },
): Promise<Link[]> {
  if (!(await rowhouse.permissions.allowed(actor, "debug-menu"))) return [];
  const t = tOf({ rowhouse, request });
  return LINKS.map(([label, path]) => ({ label: t(label), href: rowhouse.urls.path(path) }));
}
