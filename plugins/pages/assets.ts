import { createHash } from "node:crypto";
import { boundedCache } from "rowhouse/plugin-api/kernel";
import { NotFound, isObject, type Route, type Rowhouse } from "rowhouse/plugin-api";
import type { Asset, BodyScript, PageFacts } from "rowhouse/plugin-api/contracts";
import { currentMetadata } from "rowhouse/plugin-api/metadata";
import { fingerprinted } from "./fingerprint.js";

export interface PageAsset {
  readonly url: string;
  readonly sri: string | null;
  readonly module: boolean;
}

/** The style sheets and scripts that plugins and the metadata add to a page. */
export interface PageAssets {
  readonly css: readonly PageAsset[];
  readonly js: readonly PageAsset[];
  readonly bodyScripts: readonly PageAsset[];
}

/** Collects them without duplicates. Those of plugins come first. */
export async function pageAssets(rowhouse: Rowhouse, facts: PageFacts): Promise<PageAssets> {
  const document = currentMetadata(rowhouse).document;
  const css = await rowhouse.hooks.extra_css_urls.promise([], rowhouse, facts);
  const js = await rowhouse.hooks.extra_js_urls.promise([], rowhouse, facts);
  const scripts = await rowhouse.hooks.extra_body_script.promise([], rowhouse, facts);
  return {
    css: unique(rowhouse, [...css, ...listed(document["extra_css_urls"])]),
    js: unique(rowhouse, [...js, ...listed(document["extra_js_urls"])]),
    bodyScripts: scripts.map((script) => ownScript(rowhouse, script)),
  };
}

const listed = (value: unknown): Asset[] => (Array.isArray(value) ? value.filter(isAsset) : []);

const isAsset = (value: unknown): value is Asset =>
  typeof value === "string" || (isObject(value) && typeof value["url"] === "string");

function unique(rowhouse: Rowhouse, assets: readonly Asset[]): PageAsset[] {
  const byUrl = new Map<string, PageAsset>();
  for (const asset of assets) {
    const made = pageAsset(rowhouse, asset);
    if (!byUrl.has(made.url)) byUrl.set(made.url, made);
  }
  return [...byUrl.values()];
}

function pageAsset(rowhouse: Rowhouse, asset: Asset): PageAsset {
  const { url, sri, module = false } = typeof asset === "string" ? { url: asset } : asset;
  const local = url.startsWith("/") && !url.startsWith("//");
  const address = local ? fingerprinted(rowhouse, withBase(rowhouse, url)) : url;
  return { url: address, sri: sri ?? null, module };
}

/** Plugins may use `urls`, so the base URL may be there already. It is added only once. */
function withBase(rowhouse: Rowhouse, url: string): string {
  const base = rowhouse.urls.path("/");
  return base !== "/" && url.startsWith(base) ? url : rowhouse.urls.path(url);
}

/** Scripts of plugins by the hash in their address. */
const scripts = boundedCache<string>("page-scripts", 8_000_000, (script) => script.length);

function ownScript(rowhouse: Rowhouse, given: BodyScript): PageAsset {
  const { script, module = false } = typeof given === "string" ? { script: given } : given;
  const name = createHash("sha256").update(script).digest("hex").slice(0, 32);
  scripts.set(name, script);
  return { url: rowhouse.urls.path(`/-/page-scripts/${name}.js`), sri: null, module };
}

/** The script of a page that was made recently; null for unknown names. */
const pageScript = (name: string): string | null => scripts.get(name) ?? null;

/** Scripts that plugins add to pages, as files of their own. */
export const pageScriptRoute: Route = {
  name: "page-script",
  path: /\/-\/page-scripts\/(?<name>[0-9a-f]{32})\.js$/,
  target: "instance",
  view: ({ params }) => {
    const script = pageScript(params["name"] ?? "");
    if (script === null) throw new NotFound("404");
    return {
      status: 200,
      headers: {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "max-age=31536000, immutable, public",
        "x-content-type-options": "nosniff",
      },
      body: script,
    };
  },
};
