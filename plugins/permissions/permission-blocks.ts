import type { Actor, KeyPath, Metadata, MetadataBlock, ReasonedOpinion } from "rowhouse/plugin-api";
import { blockOpinion, isBlock, ownValue } from "./rule.js";
import type { Rule } from "./rule.js";

/** `permissions` blocks, for every action: the broadest level that names the action decides, yes or no. */
export function permissionBlocksRule(actor: Actor | null, action: string, metadata: Metadata): Rule {
  const opinionOf = (block: MetadataBlock, path: KeyPath): ReasonedOpinion | null => {
    const permissions = ownValue(block, "permissions");
    if (!isBlock(permissions)) return null;
    const allow = ownValue(permissions, action);
    if (allow === null || allow === undefined) return null;
    return blockOpinion(actor, allow, [...path, "permissions", action], metadata.source);
  };

  return (resource) => {
    const top = opinionOf(metadata.document, NO_PATH);
    if (top !== null || resource === null) return top;
    const database = typeof resource === "string" ? resource : resource[0];
    const own = metadata.database(database);
    // Lists ask about thousands of tables, of which the metadata says nothing.
    if (isEmpty(own)) return null;
    const ofDatabase = opinionOf(own, ["databases", database]);
    if (ofDatabase !== null || typeof resource === "string") return ofDatabase;
    const [, name] = resource;
    const ofTable = opinionOf(metadata.table(database, name), ["databases", database, "tables", name]);
    if (ofTable !== null) return ofTable;
    const query = ownValue(metadata.queries(database), name);
    return isBlock(query) ? opinionOf(query, ["databases", database, "queries", name]) : null;
  };
}

const NO_PATH: KeyPath = [];

function isEmpty(block: MetadataBlock): boolean {
  for (const key in block) if (Object.hasOwn(block, key)) return false;
  return true;
}
