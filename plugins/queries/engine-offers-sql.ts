import type { Opinion, Rowhouse } from "rowhouse/plugin-api";
import type { PermissionChecks } from "rowhouse/plugin-api/access";

const DENIED: Opinion = {
  allowed: false,
  because: "the engine of this database does not run SQL of callers",
};

/**
 * Denies `execute-sql` on databases whose engine does not run SQL of callers. Pages, documents and API descriptions
 * offer it only with this permission. For other databases it has no opinion.
 */
export function denyWhereNotOffered(
  { databases }: Rowhouse,
  { resources }: PermissionChecks,
): readonly (Opinion | null)[] | null {
  const opinions = resources.map((resource) => {
    const name = typeof resource === "string" ? resource : (resource?.[0] ?? null);
    const database = name === null ? undefined : databases.get(name);
    return database?.capabilities.untrustedSql === false ? DENIED : null;
  });
  return opinions.every((opinion) => opinion === null) ? null : opinions;
}
