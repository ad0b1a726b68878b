import { permissionChain, type Chain, type Resource } from "rowhouse/plugin-api";

/**
 * The further steps of the permission chain of a page; null for actions that guard no page, or not this resource.
 */
export function stepsAbove(action: string, resource: Resource): Chain | null {
  if (action === "view-instance") return [];
  if (resource === null) return null;
  const database = typeof resource === "string" ? resource : resource[0];
  if (action === "view-database") return permissionChain();
  if (!PAGE_ACTIONS.has(action)) return null;
  return permissionChain({ database });
}

const PAGE_ACTIONS: ReadonlySet<string> = new Set(["view-table", "view-query", "view-database-download"]);
