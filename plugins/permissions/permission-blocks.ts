import type { KeyPath, Metadata, MetadataBlock } from "rowhouse/plugin-api";
import { blocksUnder, decidingBlock, decidingBlocks, isBlock, ownValue } from "./rule.js";
import type { BlocksByName, DecidingBlock, Rule } from "./rule.js";

/** What a database says of an action: for all that is in it, or by name. */
interface Level {
  readonly own: DecidingBlock | null;
  readonly tables: BlocksByName;
  readonly queries: BlocksByName;
}

/** `permissions` blocks, for every action: the broadest level that names the action decides, yes or no. */
export function permissionBlocksRule(action: string, { document, source }: Metadata): Rule {
  const blockAt = (block: MetadataBlock, path: KeyPath): DecidingBlock | null => {
    const permissions = ownValue(block, "permissions");
    if (!isBlock(permissions)) return null;
    return decidingBlock(ownValue(permissions, action), [...path, "permissions", action], source);
  };
  const levelOf = (database: string, block: MetadataBlock): Level => {
    const path = ["databases", database];
    const within = (kind: string): BlocksByName =>
      decidingBlocks(block, kind, (entry, name) => blockAt(entry, [...path, kind, name]));
    return { own: blockAt(block, path), tables: within("tables"), queries: within("queries") };
  };

  const top = blockAt(document, []);
  if (top !== null) return (actor) => top.opinionOn(actor);
  const levels = new Map(
    blocksUnder(document, "databases").map(([name, block]) => [name, levelOf(name, block)]),
  );
  return (actor, resource) => {
    if (resource === null) return null;
    const [database, name = null] = typeof resource === "string" ? [resource] : resource;
    const level = levels.get(database);
    if (level === undefined) return null;
    const named = name === null ? undefined : (level.tables.get(name) ?? level.queries.get(name));
    return (level.own ?? named)?.opinionOn(actor) ?? null;
  };
}
