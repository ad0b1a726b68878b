import type { Permission } from "rowhouse/plugin-api";

type Scope = "instance" | "database" | "resource";

const permission = (name: string, abbr: string, scope: Scope): Permission => ({
  name,
  abbr,
  description: null,
  takes_database: scope !== "instance",
  takes_resource: scope === "resource",
  default: false,
});

/** Enough permissions to restrict tokens to: some for every kind of resource. */
export const permissions: ReadonlyMap<string, Permission> = new Map(
  [
    permission("view-instance", "vi", "instance"),
    permission("view-database", "vd", "database"),
    permission("view-database-download", "vdd", "database"),
    permission("view-table", "vt", "resource"),
    permission("view-query", "vq", "resource"),
    permission("execute-sql", "es", "database"),
    permission("insert-row", "ir", "resource"),
    permission("update-row", "ur", "resource"),
    permission("create-table", "ct", "database"),
    permission("drop-table", "dt", "resource"),
  ].map((record) => [record.name, record]),
);
