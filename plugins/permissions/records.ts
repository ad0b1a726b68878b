import type { Permission } from "rowhouse/plugin-api";
import { permissionTexts } from "rowhouse/plugin-api/html";

type Scope = "instance" | "database" | "resource";

const record = (
  [name, abbr, description]: readonly [string, string, string],
  scope: Scope,
  answer: "allow" | "deny",
): Permission => ({
  name,
  abbr,
  description,
  takes_database: scope !== "instance",
  takes_resource: scope === "resource",
  default: answer === "allow",
});

/** The permissions Rowhouse itself asks for, in published order. */
const corePermissions: readonly Permission[] = [
  record(["view-instance", "vi", "View Rowhouse instance"], "instance", "allow"),
  record(["view-database", "vd", "View database"], "database", "allow"),
  record(["view-database-download", "vdd", "Download database file"], "database", "allow"),
  record(["view-table", "vt", "View table"], "resource", "allow"),
  record(["view-query", "vq", "View named query results"], "resource", "allow"),
  record(["execute-sql", "es", "Execute read-only SQL queries"], "database", "allow"),
  record(["permissions-debug", "pd", "Access permission debug tool"], "instance", "deny"),
  record(["debug-menu", "dm", "View debug menu items"], "instance", "deny"),
  record(["insert-row", "ir", "Insert rows"], "resource", "deny"),
  record(["delete-row", "dr", "Delete rows"], "resource", "deny"),
  record(["update-row", "ur", "Update rows"], "resource", "deny"),
  record(["create-table", "ct", "Create tables"], "database", "deny"),
  record(["drop-table", "dt", "Drop tables"], "resource", "deny"),
];

/** What the permissions allow, in words. */
export const texts = permissionTexts(corePermissions, {
  de: {
    "view-instance": "Rowhouse-Instanz ansehen",
    "view-database": "Datenbank ansehen",
    "view-database-download": "Datenbankdatei herunterladen",
    "view-table": "Tabelle ansehen",
    "view-query": "Ergebnisse benannter Abfragen ansehen",
    "execute-sql": "Lesende SQL-Abfragen ausführen",
    "permissions-debug": "Seiten zum Prüfen von Berechtigungen verwenden",
    "debug-menu": "Menüpunkte zum Prüfen des Servers sehen",
    "insert-row": "Zeilen hinzufügen",
    "delete-row": "Zeilen löschen",
    "update-row": "Zeilen ändern",
    "create-table": "Tabellen anlegen",
    "drop-table": "Tabellen löschen",
  },
});

/** The core records with `execute-sql` refused by default where the setting `default_allow_sql` is off. */
export const permissionRecords = (allowsSql: boolean): Permission[] =>
  corePermissions.map((permission) =>
    permission.name === "execute-sql" ? { ...permission, default: allowsSql } : permission,
  );

/** The same records, none of them granted by default. */
export const denyByDefault = (permissions: readonly Permission[]): Permission[] =>
  permissions.map((permission) => ({ ...permission, default: false }));
