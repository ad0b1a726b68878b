import { definePlugin } from "rowhouse/plugin-api";

/** Pages with a box for SQL. */
const WITH_EDITOR: ReadonlySet<string> = new Set(["database", "query"]);

/**
 * Colours, completion of this database's tables and columns, formatting and running by keyboard. The box is a text
 * area of the page and stays the form's field; the editor itself is fetched when somebody goes there.
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
