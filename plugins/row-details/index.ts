import { definePlugin } from "rowhouse/plugin-api";
import { addFilesToPages } from "rowhouse/plugin-api/html";
import { texts } from "./texts.js";

/** On the page of a row: the rows before and after it, buttons that copy values, pictures, trees of JSON, and how long ago dates are. */
export default definePlugin({
  name: "row-details",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  static: new URL("static/", import.meta.url),
  ...addFilesToPages({ module: "app.js", styles: "app.css" }, ({ viewName }) => viewName === "row"),
});
