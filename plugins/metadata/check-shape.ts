import { isObject, StartupError, type MetadataBlock } from "rowhouse/plugin-api";
import { keyText, type KeyPath } from "rowhouse/plugin-api/metadata";
import type { PlaceOf } from "rowhouse/plugin-api/contracts";
import { keysOf, type Kind, type Level } from "./kinds.js";

/**
 * Checks the types of all known keys of a document and returns it. Null counts as absent.
 *
 * @throws StartupError with the file, the path of the key and the reason
 */
export function checkShape(document: unknown, placeOf: PlaceOf): MetadataBlock {
  const check = new ShapeCheck(placeOf);
  const root = check.level("instance", document, []);
  for (const [database, value] of check.entries(root, [], "databases")) {
    const path = ["databases", database];
    const block = check.level("database", value, path);
    for (const [table, inner] of check.entries(block, path, "tables")) {
      check.level("table", inner, [...path, "tables", table]);
    }
    for (const [query, inner] of check.entries(block, path, "queries")) {
      check.query(inner, [...path, "queries", query]);
    }
  }
  return root;
}

class ShapeCheck {
  constructor(private readonly placeOf: PlaceOf) {}

  /** Checks the keys of a level and returns its block. */
  level(level: Level, value: unknown, path: KeyPath): MetadataBlock {
    const block = this.block(value, path);
    const kinds: Readonly<Record<string, Kind>> = keysOf[level];
    for (const [key, inner] of Object.entries(block)) {
      const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
      if (kind === undefined || inner === null || kind.accepts(inner)) continue;
      throw this.wrong([...path, key], kind.says);
    }
    return block;
  }

  entries(parent: MetadataBlock, path: KeyPath, key: string): readonly [string, unknown][] {
    const value = Object.hasOwn(parent, key) ? parent[key] : undefined;
    return value === undefined ? [] : Object.entries(this.block(value, [...path, key]));
  }

  query(value: unknown, path: KeyPath): void {
    if (typeof value === "string") return;
    if (!isObject(value)) throw this.wrong(path, "must be an SQL string or an object with the key sql");
    if (typeof value["sql"] !== "string") throw this.wrong([...path, "sql"], keysOf.query.sql.says);
    this.level("query", value, path);
  }

  private block(value: unknown, path: KeyPath): MetadataBlock {
    if (value === null && path.length > 0) return {};
    if (isObject(value)) return value;
    throw this.wrong(path, "must be an object");
  }

  private wrong(path: KeyPath, reason: string): StartupError {
    const key = path.length === 0 ? "" : `: ${keyText(path)}`;
    return new StartupError(`${this.placeOf(path)}${key} ${reason}`);
  }
}

/** The blocks under one key of a block, each with its name. */
export function blocksIn(block: MetadataBlock, key: string): readonly (readonly [string, MetadataBlock])[] {
  const value = Object.hasOwn(block, key) ? block[key] : undefined;
  if (!isObject(value)) return [];
  return Object.entries(value).filter((entry): entry is [string, MetadataBlock] => isObject(entry[1]));
}
