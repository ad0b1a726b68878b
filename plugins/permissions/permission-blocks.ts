import type { Actor, KeyPath, Metadata, MetadataBlock, ReasonedOpinion, Resource } from "rowhouse/plugin-api";
import { blockOpinion, isBlock, ownValue } from "./rule.js";
import type { Rule } from "./rule.js";

interface Level {
  readonly block: MetadataBlock;
  readonly path: KeyPath;
}

/** `permissions` blocks, for every action: the broadest level that names the action decides, yes or no. */
export function permissionBlocksRule(actor: Actor | null, action: string, metadata: Metadata): Rule {
  const opinionOf = ({ block, path }: Level): ReasonedOpinion | null => {
    const permissions = ownValue(block, "permissions");
    if (!isBlock(permissions)) return null;
    const allow = ownValue(permissions, action);
    if (allow === null || allow === undefined) return null;
    return blockOpinion(actor, allow, [...path, "permissions", action], metadata.source);
  };

  return (resource) => {
    for (const level of levels(resource, metadata)) {
      const opinion = opinionOf(level);
      if (opinion !== null) return opinion;
    }
    return null;
  };
}

function* levels(resource: Resource, metadata: Metadata): Generator<Level> {
  yield { block: metadata.document, path: [] };
  if (resource === null) return;
  const [database, name] = typeof resource === "string" ? [resource] : resource;
  const path = ["databases", database];
  yield { block: metadata.database(database), path };
  if (name === undefined) return;
  yield { block: metadata.table(database, name), path: [...path, "tables", name] };
  const query = ownValue(metadata.queries(database), name);
  if (isBlock(query)) yield { block: query, path: [...path, "queries", name] };
}
