import type { Route } from "rowhouse/plugin-api";
import { NotFound } from "rowhouse/plugin-api";
import { pageScript } from "./assets.js";

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
