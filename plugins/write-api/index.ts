import { definePlugin, type Permission } from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { permissionTexts } from "rowhouse/plugin-api/html";
import { alterTableRoute } from "./alter/alter-view.js";
import { setColumnTypeRoute } from "./alter/set-column-type.js";
import { batchRoute } from "./batch/batch-view.js";
import { insertCommand } from "./command/insert-command.js";
import { tagRequestedVersion } from "./conditional/row-version.js";
import { versionsRoute } from "./conditional/versions-view.js";
import { createTableRoute } from "./create/create-view.js";
import { deleteRowRoute } from "./delete/delete-row.js";
import { dropTableRoute } from "./delete/drop-table.js";
import { deleteRowsRoute, updateRowsRoute } from "./filtered/filtered-writes.js";
import { foreignKeySuggestionsRoute } from "./foreign-keys/suggestions-view.js";
import { foreignKeyTargetsRoute } from "./foreign-keys/targets-view.js";
import { createIndexRoute, dropIndexRoute } from "./indexes/index-views.js";
import { insertRoute } from "./insert/insert.js";
import { executeWriteRoute } from "./sql/execute-view.js";
import { disableSearchRoute, enableSearchRoute } from "./search/search-index.js";
import { redactQueryError } from "./target/redact-error.js";
import { updateRowRoute } from "./update/update-row.js";
import { upsertRoute, upsertStreamRoute } from "./upsert/upsert.js";

const writeRoutes = [
  createTableRoute,
  batchRoute,
  executeWriteRoute,
  versionsRoute,
  foreignKeyTargetsRoute,
  foreignKeySuggestionsRoute,
  upsertStreamRoute,
  insertRoute,
  upsertRoute,
  updateRowsRoute,
  deleteRowsRoute,
  alterTableRoute,
  createIndexRoute,
  dropIndexRoute,
  enableSearchRoute,
  disableSearchRoute,
  dropTableRoute,
  updateRowRoute,
  deleteRowRoute,
];

const alterTable: Permission = {
  name: "alter-table",
  abbr: "at",
  description: "Alter tables",
  takes_database: true,
  takes_resource: true,
  default: false,
};

const executeWriteSql: Permission = {
  name: "execute-write-sql",
  abbr: "ews",
  description: "Run SQL that changes rows",
  takes_database: true,
  takes_resource: false,
  default: false,
};

/** The JSON API for writes: creates, alters and drops tables, and inserts, updates and deletes rows. */
export default definePlugin({
  name: "write-api",
  deterministic: true,
  unguarded: true,
  provides: ["writeErrors"],
  requires: ["rowAccess", "tables"],
  optional: ["columnTypes", "events"],
  settings: bundledSettings.writeApi,
  register_permissions: () => [alterTable, executeWriteSql],
  register_texts: () =>
    permissionTexts([alterTable, executeWriteSql], {
      de: {
        "alter-table": "Struktur von Tabellen ändern",
        "execute-write-sql": "SQL ausführen, das Zeilen ändert",
      },
    }),
  setup: (rowhouse) => rowhouse.provide("writeErrors", { ofQuery: redactQueryError }),
  before_view: { only: { arguments: ["_extras"] }, run: tagRequestedVersion },
  register_commands: (rowhouse) => insertCommand(rowhouse),
  register_routes: (rowhouse) =>
    rowhouse.serviceIfAny("columnTypes") === null ? writeRoutes : [...writeRoutes, setColumnTypeRoute],
  describe_api: async () => (await import("./openapi/index.js")).api,
});
