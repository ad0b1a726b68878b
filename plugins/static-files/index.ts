import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  NotFound,
  definePlugin,
  type ReplyHeaders,
  type Request,
  type Route,
  type Rowhouse,
} from "rowhouse/plugin-api";
import { serveFile } from "./serve-file.js";

const NOSNIFF = { "x-content-type-options": "nosniff" };
// Browsers check with every request whether the file has changed. Without this header they would guess a lifetime
// from its age.
const REVALIDATED = { "cache-control": "no-cache" };
const FAVICON_HEADERS = { "cache-control": "max-age=3600, immutable, public" };
const FINGERPRINTED = { "cache-control": "max-age=31536000, immutable, public" };

/** Static files: bundled assets, those of plugins, and the folders of `--static`. */
export default definePlugin({
  name: "static-files",
  deterministic: true,
  unguarded: true,
  optional: ["pages"],
  register_routes: (rowhouse) => [
    favicon(rowhouse),
    assets(rowhouse),
    ...mounts(rowhouse),
    ofPlugins(rowhouse),
  ],
});

const favicon = (rowhouse: Rowhouse): Route => ({
  name: "favicon",
  path: /\/favicon\.ico/,
  target: "instance",
  view: ({ request }) =>
    serveFile(request, { folder: assetFolder(rowhouse), path: "favicon.png", headers: FAVICON_HEADERS }),
});

const assets = (rowhouse: Rowhouse): Route => ({
  name: "static",
  path: /\/-\/static\/(?<path>.*)$/,
  target: "instance",
  view: ({ params, request }) =>
    serveFile(request, {
      folder: assetFolder(rowhouse),
      path: params["path"] ?? "",
      headers: { ...NOSNIFF, ...caching(request) },
    }),
});

/**
 * A fingerprint identifies the content, so the reply to such an address never changes. It is the query string, or the end
 * of the name of a script that another one imports, as esbuild writes it: `panel-ZAF62GEK.js`.
 */
const caching = ({ path, queryString }: Request): ReplyHeaders =>
  /^[0-9a-f]{6}$/.test(queryString) || /-[A-Z2-7]{8}\.js$/.test(path) ? FINGERPRINTED : REVALIDATED;

const mounts = (rowhouse: Rowhouse): Route[] =>
  (rowhouse.option("staticMounts") ?? []).map(({ mount, folder }) => ({
    name: "static-mount",
    path: new RegExp(`/${literally(mount.replace(/^\/+|\/+$/g, ""))}/(?<path>.*)$`),
    target: "instance",
    view: ({ request, params }) =>
      serveFile(request, {
        folder: resolve(folder),
        path: params["path"] ?? "",
        headers: { ...NOSNIFF, ...REVALIDATED },
      }),
  }));

const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");

const ofPlugins = (rowhouse: Rowhouse): Route => ({
  name: "static-plugins",
  path: /\/-\/static-plugins\/(?<plugin>[^/]+)\/(?<path>.*)$/,
  target: "instance",
  view: ({ params, request }) => {
    const folder = folderOf(rowhouse, params["plugin"] ?? "");
    if (folder === null) throw new NotFound("404");
    return serveFile(request, {
      folder,
      path: params["path"] ?? "",
      headers: { ...NOSNIFF, ...caching(request) },
    });
  },
});

/** The static folder of a plugin. `my_plugin` also finds `my-plugin`. */
function folderOf(rowhouse: Rowhouse, name: string): string | null {
  const found = rowhouse.plugins.find(
    ({ plugin }) => plugin.name === name || plugin.name.replaceAll("-", "_") === name,
  );
  return found?.plugin.static === undefined ? null : fileURLToPath(found.plugin.static);
}

/** The assets of the site belong to the plugin that renders its pages. */
function assetFolder(rowhouse: Rowhouse): string {
  const folder = rowhouse.serviceIfAny("pages")?.assets;
  if (folder === undefined) throw new NotFound("404");
  return fileURLToPath(folder);
}
