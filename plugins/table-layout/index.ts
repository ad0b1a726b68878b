import { definePlugin } from "rowhouse/plugin-api";
import { addFilesToPages } from "rowhouse/plugin-api/html";
import { texts } from "./texts.js";

/**
 * The layout of tables that a browser keeps for its user: density, widths and frozen columns. The order and the choice of
 * columns are in the address.
 */
export default definePlugin({
  name: "table-layout",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  static: new URL("static/", import.meta.url),
  ...addFilesToPages(
    { script: "early.js", module: "app.js", styles: "app.css" },
    ({ viewName }) => viewName === "table",
  ),
});
