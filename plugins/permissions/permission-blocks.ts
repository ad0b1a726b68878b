import type { Actor, KeyPath, Metadata, MetadataBlock, ReasonedOpinion } from "rowhouse/plugin-api";
import { blockOpinion, isBlock, ownValue, perDatabase } from "./rule.js";
import type { Rule, RuleWithin } from "./rule.js";

/** `permissions` blocks, for every action: the broadest level that names the action decides, yes or no. */
export function permissionBlocksRule(actor: Actor | null, action: string, metadata: Metadata): Rule {
  const opinionOf = (block: MetadataBlock, pathOf: () => KeyPath): ReasonedOpinion | null => {
    const permissions = ownValue(block, "permissions");
    if (!isBlock(permissions)) return null;
    const allow = ownValue(permissions, action);
    if (allow === null || allow === undefined) return null;
    return blockOpinion(actor, allow, [...pathOf(), "permissions", action], metadata.source);
  };

  const within = (database: string): RuleWithin => {
    const path = ["databases", database];
    const own = metadata.database(database);
    const ofDatabase = opinionOf(own, () => path);
    if (ofDatabase !== null) return () => ofDatabase;
    const queries = metadata.queries(database);
    return (name) => {
      if (name === null) return null;
      const ofTable = opinionOf(metadata.table(database, name), () => [...path, "tables", name]);
      if (ofTable !== null) return ofTable;
      const query = ownValue(queries, name);
      return isBlock(query) ? opinionOf(query, () => [...path, "queries", name]) : null;
    };
  };

  const top = opinionOf(metadata.document, () => []);
  return top === null ? perDatabase(within) : () => top;
}
