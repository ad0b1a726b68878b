import type { Asset, PageFacts } from "../contracts/pages.js";
import type { Plugin } from "../kernel/plugin.js";
import type { Rowhouse } from "../kernel/rowhouse.js";

/** Names of files in the `static` folder of a plugin. */
export interface PageFiles {
  readonly styles?: string;
  /** Runs before the page is shown. */
  readonly script?: string;
  /** A script that is a module. */
  readonly module?: string;
}

/**
 * The hook functions that add files of the plugin's `static` folder to pages.
 *
 * @example
 * const plugin = definePlugin({
 *   name: "shelf",
 *   static: new URL("file:///plugins/shelf/static/"),
 *   ...addFilesToPages({ module: "shelf.js", styles: "shelf.css" }, ({ viewName }) => viewName === "table"),
 * });
 * typeof plugin.extra_css_urls; // "function"
 * @param isUsed true for the pages that need the files
 */
export function addFilesToPages(
  { styles, script, module }: PageFiles,
  isUsed: (page: PageFacts) => boolean,
): Pick<Plugin, "extra_css_urls" | "extra_js_urls"> {
  const scripts = (name: string, { urls }: Rowhouse): readonly Asset[] => [
    ...(script === undefined ? [] : [urls.staticPlugin(name, script)]),
    ...(module === undefined ? [] : [{ url: urls.staticPlugin(name, module), module: true }]),
  ];
  return {
    ...(styles !== undefined && {
      extra_css_urls(this: Plugin, { urls }: Rowhouse, page: PageFacts) {
        return isUsed(page) ? urls.staticPlugin(this.name, styles) : null;
      },
    }),
    ...((script ?? module) !== undefined && {
      extra_js_urls(this: Plugin, rowhouse: Rowhouse, page: PageFacts) {
        return isUsed(page) ? scripts(this.name, rowhouse) : null;
      },
    }),
  };
}
