import { StartupError } from "rowhouse/plugin-api";
import type { Metadata, MetadataBlock } from "rowhouse/plugin-api";
import { isBlock, keyText, ownValue } from "./rule.js";
import type { KeyPath } from "./rule.js";

/**
 * Looks through every `allow`, `allow_sql` and `permissions` block of the metadata.
 *
 * @throws StartupError naming the first one that could never match anybody because of its shape
 */
export function checkBlocks(metadata: Metadata): void {
  for (const [path, value] of allowValues(metadata.document)) {
    if (value === null || typeof value === "boolean" || isBlock(value)) continue;
    throw new StartupError(
      `${keyText(path)} in ${metadata.source} must be true, false, null or an object, not ${JSON.stringify(value)}`,
    );
  }
}

type Found = readonly [path: KeyPath, value: unknown];

function* allowValues(document: MetadataBlock): Generator<Found> {
  yield* ofLevel(document, []);
  for (const [database, block] of blocks(document, "databases")) {
    const path = ["databases", database];
    yield* ofLevel(block, path);
    for (const kind of ["tables", "queries"]) {
      for (const [name, inner] of blocks(block, kind)) yield* ofLevel(inner, [...path, kind, name]);
    }
  }
}

function* ofLevel(block: MetadataBlock, path: KeyPath): Generator<Found> {
  for (const key of ["allow", "allow_sql"]) {
    if (Object.hasOwn(block, key)) yield [[...path, key], block[key]];
  }
  const permissions = ownValue(block, "permissions");
  if (permissions === null || permissions === undefined) return;
  if (!isBlock(permissions)) {
    throw new StartupError(`${keyText([...path, "permissions"])} must be an object of actions`);
  }
  for (const [action, value] of Object.entries(permissions)) yield [[...path, "permissions", action], value];
}

function blocks(block: MetadataBlock, key: string): readonly (readonly [string, MetadataBlock])[] {
  const inner = ownValue(block, key);
  if (!isBlock(inner)) return [];
  return Object.entries(inner).filter((entry): entry is [string, MetadataBlock] => isBlock(entry[1]));
}
