import { definePlugin, defineRoute, type Route } from "rowhouse/plugin-api";
import { addFilesToPages } from "rowhouse/plugin-api/html";
import { acceptsWrites } from "rowhouse/plugin-api/engine";
import { databaseImport, tableImport, tableFactsReply } from "./import-page.js";
import { importSubmit } from "./paste-submit.js";
import { texts, tOf } from "./texts.js";

const INTO_TABLE = {
  target: "table",
  requires: ({ database, resource }: { readonly database: string; readonly resource: string }) =>
    [["insert-row", [database, resource]]] as const,
  mutates: true,
  refusal: "Permission denied: need insert-row",
} as const;
const PATH = "/:database/:resource/-/import";

const routes: readonly Route[] = [
  defineRoute({
    name: "import-table",
    path: "/:database/-/import",
    target: "database",
    requires: ({ database }) => [["create-table", database]],
    mutates: true,
    refusal: "Permission denied: need create-table",
    view: databaseImport,
  }),
  defineRoute({ ...INTO_TABLE, name: "import", path: PATH, view: tableImport }),
  defineRoute({ ...INTO_TABLE, name: "import-facts", path: `${PATH}.json`, view: tableFactsReply }),
  defineRoute({ ...INTO_TABLE, name: "import-submit", method: "POST", path: PATH, view: importSubmit }),
];

/**
 * Imports files into tables, and makes tables of files. A script reads the file in the browser and sends its rows to the
 * JSON API, so pages and programs have the same permissions. Without scripts, a form takes pasted CSV.
 */
export default definePlugin({
  name: "import",
  deterministic: true,
  unguarded: true,
  register_texts: () => texts,
  optional: ["messages"],
  static: new URL("static/", import.meta.url),
  ...addFilesToPages({ module: "app.js", styles: "app.css" }, ({ viewName }) => viewName === "import"),
  register_routes: () => routes,
  async database_actions(rowhouse, { request, actor, database }) {
    if (actor === null || !rowhouse.database(database).mutable) return [];
    if (!(await rowhouse.permissions.allowed(actor, "create-table", database))) return [];
    return {
      href: `${rowhouse.urls.database(database)}/-/import`,
      label: tOf({ rowhouse, request })("import.as_table"),
      addsRows: true,
    };
  },
  async table_actions(rowhouse, { request, actor, database, table }) {
    if (actor === null || !rowhouse.database(database).mutable) return [];
    if (!(await rowhouse.permissions.allowed(actor, "insert-row", [database, table]))) return [];
    const stored = (await rowhouse.database(database).schema()).tables.get(table);
    if (stored === undefined || !acceptsWrites(stored)) return [];
    const href = `${rowhouse.urls.table(database, table)}/-/import`;
    return { href, label: tOf({ rowhouse, request })("import.file"), addsRows: true };
  },
});
