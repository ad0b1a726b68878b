import { definePlugin } from "rowhouse/plugin-api";

/** Pages with a field for SQL. */
const WITH_EDITOR: ReadonlySet<string> = new Set(["database", "query"]);

/**
 * An editor for SQL with colours, completion of tables and columns, formatting and a key to run the query. A text
 * area of the page remains the field of the form; the editor is loaded when the field is used.
 */
export default definePlugin({
  name: "sql-editor",
  deterministic: true,
  unguarded: true,
  static: new URL("static/", import.meta.url),
  extra_js_urls(rowhouse, { viewName }) {
    return WITH_EDITOR.has(viewName)
      ? { url: rowhouse.urls.staticPlugin(this.name, "app.js"), module: true }
      : null;
  },
  extra_css_urls(rowhouse, { viewName }) {
    return WITH_EDITOR.has(viewName) ? rowhouse.urls.staticPlugin(this.name, "app.css") : null;
  },
});
