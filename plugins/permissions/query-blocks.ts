import type { Resource, Rowhouse, Services } from "rowhouse/plugin-api";
import type { PermissionChecks } from "rowhouse/plugin-api/access";
import { decidingBlock, ownValue, type DecidingBlock } from "./metadata-blocks.js";

/** The `allow` blocks of canned queries, of which plugins may define some for each actor, by resource. */
export async function queryBlocks(
  rowhouse: Rowhouse,
  service: Services["queries"],
  { actor, resources }: PermissionChecks,
): Promise<(resource: Resource) => DecidingBlock | null> {
  const { source } = rowhouse.service("metadata").current();
  const pairs = resources.filter((resource) => resource !== null && typeof resource !== "string");
  const names = [...new Set(pairs.map(([database]) => database))].filter((name) =>
    rowhouse.databases.has(name),
  );
  const queries = new Map(
    await Promise.all(names.map(async (name) => [name, await service.cannedQueries(name, actor)] as const)),
  );
  return (resource) => {
    if (resource === null || typeof resource === "string") return null;
    const [database, name] = resource;
    const allow = ownValue(queries.get(database)?.get(name) ?? {}, "allow");
    return decidingBlock(allow, ["databases", database, "queries", name, "allow"], source);
  };
}
