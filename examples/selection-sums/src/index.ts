import { definePlugin } from "rowhouse/plugin-api";
import { addFilesToPages } from "rowhouse/plugin-api/html";

/** Adds the sums of selected rows to the pages of tables and views. All else happens in the browser: see `client/`. */
export default definePlugin({
  name: "selection-sums",
  // Every visitor gets the same script, so pages keep their entity tags.
  deterministic: true,
  static: new URL("../static/", import.meta.url),
  ...addFilesToPages({ module: "app.js", styles: "sums.css" }, ({ viewName }) => viewName === "table"),
});
