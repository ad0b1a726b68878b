import type { Database, KeyPath, Metadata, MetadataBlock } from "rowhouse/plugin-api";
import { byDatabase, decidingBlock, decidingBlocks, isBlock, ownValue, strictest } from "./rule.js";
import type { BlocksByName, DecidingBlock, Rule } from "./rule.js";

/** What a database says of an action: for all that is in it, or by name. */
interface Level {
  readonly own: DecidingBlock | null;
  readonly tables: BlocksByName;
  readonly queries: BlocksByName;
}

/** `permissions` blocks, for every action: the broadest level that names the action decides, yes or no. */
export function permissionBlocksRule(
  action: string,
  metadata: Metadata,
  databases: ReadonlyMap<string, Database>,
): Rule {
  const { document, source } = metadata;
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
  const levels = byDatabase(metadata, databases, levelOf);
  return (actor, resource) => {
    if (resource === null) return null;
    const [database, name = null] = typeof resource === "string" ? [resource] : resource;
    const blocks = levels
      .all(database)
      .flatMap((level) => level.own ?? (name === null ? [] : blocksNamed(level, name)));
    return strictest(blocks, actor);
  };
}

/** Of a table or view, else of a query. */
function blocksNamed({ tables, queries }: Level, name: string): readonly DecidingBlock[] {
  const ofTable = tables.all(name);
  return ofTable.length > 0 ? ofTable : queries.all(name);
}
