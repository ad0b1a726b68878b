import { definePlugin } from "rowhouse/plugin-api";
import { addFilesToPages } from "rowhouse/plugin-api/html";
import { texts } from "./texts.js";

const WITH_ROWS: ReadonlySet<string> = new Set(["table", "query"]);

/**
 * A map of rows that have a latitude and a longitude. The outlines of the continents are part of Rowhouse, so no
 * other server learns which places a user views. `#map` in the address opens it.
 */
export default definePlugin({
  name: "map",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  static: new URL("static/", import.meta.url),
  ...addFilesToPages({ script: "early.js", module: "app.js", styles: "app.css" }, ({ viewName }) =>
    WITH_ROWS.has(viewName),
  ),
});
