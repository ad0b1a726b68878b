import {
  definePlugin,
  permissionChain,
  type Actor,
  type MenuItem,
  type Resource,
  type Route,
  type Rowhouse,
} from "rowhouse/plugin-api";
import { findsTables } from "rowhouse/plugin-api/engine";
import type { PageFacts } from "rowhouse/plugin-api/contracts";
import { editRowForm, editRowSubmit } from "./edit-row.js";
import { newRowForm, newRowSubmit } from "./new-row.js";
import { newTableForm, newTableSubmit } from "./structure/new-table.js";
import { removeRowForm, removeRowSubmit, removeTableForm, removeTableSubmit } from "./remove.js";
import { editRights, isWritten, rowActions } from "./rights.js";
import { structureForm, structureSubmit } from "./structure/structure-page.js";
import { writeSqlForm, writeSqlSubmit } from "./sql/write-sql.js";
import { undoSubmit } from "./undo.js";
import { texts, tOf } from "./texts.js";

const TABLE = "/:database/:resource/-";
const ROW = "/:database/:resource/:key/-";

/** A form shows the columns, so clients that may not view the table get the refusal of its page. */
const FOR_VIEWERS = {
  permissions: permissionChain,
  refusal: "You do not have permission to view this table",
} as const;
const ofNewTable = {
  target: "database",
  requires: ({ database }: { readonly database: string }) => [["create-table", database]] as const,
  refusal: "Permission denied: need create-table",
} as const;
const ofWritingSql = {
  target: "database",
  path: "/:database/-/write-sql",
  requires: ({ database }: { readonly database: string }) => [["execute-write-sql", database]] as const,
  refusal: "Permission denied: need execute-write-sql",
} as const;
const ofTable = { target: "table", ...FOR_VIEWERS } as const;
const ofRow = { target: "row", ...FOR_VIEWERS } as const;

const routes: readonly Route[] = [
  { ...ofNewTable, name: "new-table", path: "/:database/-/new-table", view: newTableForm },
  {
    ...ofNewTable,
    name: "new-table-submit",
    method: "POST",
    path: "/:database/-/new-table",
    view: newTableSubmit,
  },
  { ...ofWritingSql, name: "write-sql", view: writeSqlForm },
  { ...ofWritingSql, name: "write-sql-submit", method: "POST", view: writeSqlSubmit },
  {
    name: "undo",
    method: "POST",
    path: "/:database/-/undo",
    target: "database",
    permissions: permissionChain,
    refusal: "You do not have permission to view this database",
    view: undoSubmit,
  },
  { ...ofTable, name: "new-row", path: `${TABLE}/new-row`, view: newRowForm },
  { ...ofTable, name: "new-row-submit", method: "POST", path: `${TABLE}/new-row`, view: newRowSubmit },
  { ...ofTable, name: "structure", path: `${TABLE}/structure`, view: structureForm },
  { ...ofTable, name: "structure-submit", method: "POST", path: `${TABLE}/structure`, view: structureSubmit },
  { ...ofTable, name: "remove-table", path: `${TABLE}/remove`, view: removeTableForm },
  {
    ...ofTable,
    name: "remove-table-submit",
    method: "POST",
    path: `${TABLE}/remove`,
    view: removeTableSubmit,
  },
  { ...ofRow, name: "edit-row", path: `${ROW}/edit`, view: editRowForm },
  { ...ofRow, name: "edit-row-submit", method: "POST", path: `${ROW}/edit`, view: editRowSubmit },
  { ...ofRow, name: "remove-row", path: `${ROW}/remove`, view: removeRowForm },
  { ...ofRow, name: "remove-row-submit", method: "POST", path: `${ROW}/remove`, view: removeRowSubmit },
];

/**
 * Pages to edit rows and tables. Each is a form that works without scripts and calls the JSON API
 * with the actor of the page. So pages have the same permissions as programs.
 */
export default definePlugin({
  name: "edit-pages",
  deterministic: true,
  unguarded: true,
  optional: ["columnTypes", "messages", "rowAccess", "tables"],
  static: new URL("static/", import.meta.url),
  register_texts: () => texts,
  register_routes: () => routes,
  database_actions: async (rowhouse, { request, actor, database }) => {
    const t = tOf({ rowhouse, request });
    const url = rowhouse.urls.database(database);
    const newTable = { href: `${url}/-/new-table`, label: t("edit.create_table"), addsRows: true };
    const writeSql = { href: `${url}/-/write-sql`, label: t("write_sql.title") };
    // Without an actor nothing is offered.
    const runsWritingSql = actor !== null && (await findsTables(rowhouse.database(database)));
    return offered(
      rowhouse,
      actor,
      [database],
      [
        ["create-table", database, newTable],
        ...(runsWritingSql ? [["execute-write-sql", database, writeSql] as const] : []),
      ],
    );
  },
  table_actions: async (rowhouse, { request, actor, database, table }) => {
    const t = tOf({ rowhouse, request });
    const url = rowhouse.urls.table(database, table);
    const resource = [database, table] as const;
    return offered(rowhouse, actor, resource, [
      ["insert-row", resource, { href: `${url}/-/new-row`, label: t("edit.add_a_row"), addsRows: true }],
      ["insert-row", resource, pasteRows(t("edit.paste_rows"))],
      ["alter-table", resource, { href: `${url}/-/structure`, label: t("edit.change_structure") }],
      ["drop-table", resource, { href: `${url}/-/remove`, label: t("edit.drop_this") }],
    ]);
  },
  row_actions: async (rowhouse, { request, actor, database, table, rowPath }) => {
    const t = tOf({ rowhouse, request });
    const url = rowhouse.urls.row(database, table, rowPath);
    const resource = [database, table] as const;
    return offered(rowhouse, actor, resource, [
      ["update-row", resource, { href: `${url}/-/edit`, label: t("edit.edit_row") }],
      ["delete-row", resource, { href: `${url}/-/remove`, label: t("edit.delete_row") }],
    ]);
  },
  top_table: editRights,
  async extra_js_urls(rowhouse, page) {
    return (await isUsed(rowhouse, page))
      ? { url: rowhouse.urls.staticPlugin(this.name, "app.js"), module: true }
      : null;
  },
  async extra_css_urls(rowhouse, page) {
    return (await isUsed(rowhouse, page)) ? rowhouse.urls.staticPlugin(this.name, "app.css") : null;
  },
});

/** On the pages of this plugin, and on tables whose rows the actor may change. */
async function isUsed(rowhouse: Rowhouse, { viewName, actor, database, table }: PageFacts): Promise<boolean> {
  if (viewName === "edit" || viewName === "write-sql") return true;
  if (viewName !== "table" || database === null || table === null) return false;
  return (await rowActions(rowhouse, { actor, database, table })).length > 0;
}

/** The script of the page opens a dialog. */
const pasteRows = (label: string): MenuItem => ({
  type: "button",
  label,
  attributes: { "data-paste-rows": "", class: "needs-script" },
});

type Offer = readonly [action: string, resource: Resource, item: MenuItem];

/** The links to the actions that the actor may use. */
async function offered(
  rowhouse: Rowhouse,
  actor: Actor | null,
  [database, table]: readonly [database: string, table?: string],
  offers: readonly Offer[],
): Promise<readonly MenuItem[]> {
  if (actor === null || !rowhouse.database(database).mutable) return [];
  if (table !== undefined && !(await isWritten(rowhouse, database, table))) return [];
  const allowed = await Promise.all(
    offers.map(([action, resource]) => rowhouse.permissions.allowed(actor, action, resource)),
  );
  return offers.filter((_, index) => allowed[index]).map(([, , item]) => item);
}
