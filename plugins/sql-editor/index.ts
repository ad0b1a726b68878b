import { definePlugin } from "rowhouse/plugin-api";
import { addFilesToPages } from "rowhouse/plugin-api/html";
import type { PageFacts } from "rowhouse/plugin-api/contracts";

/** Pages with a field for SQL. */
const WITH_EDITOR: ReadonlySet<string> = new Set(["database", "query", "write-sql"]);

/** Pages of errors show the statement of the request. */
const hasEditor = ({ viewName, request }: PageFacts): boolean =>
  WITH_EDITOR.has(viewName) || (viewName === "error" && request.query.has("sql"));

/**
 * An editor for SQL with colours, completion of tables and columns, formatting and a key to run the query. A text
 * area of the page remains the field of the form; the editor is loaded when the field is used.
 */
export default definePlugin({
  name: "sql-editor",
  deterministic: true,
  unguarded: true,
  static: new URL("static/", import.meta.url),
  ...addFilesToPages({ module: "app.js", styles: "app.css" }, hasEditor),
});
