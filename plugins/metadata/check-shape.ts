import { StartupError } from "rowhouse/plugin-api";
import type { MetadataBlock } from "rowhouse/plugin-api";
import { isBlock } from "./merge.js";

/**
 * The document, once the parts that others build on are known to have the right shape.
 *
 * @throws StartupError naming the source, the path of the key and what is wrong with it
 */
export function checkShape(document: unknown, source: string): MetadataBlock {
  const check = new ShapeCheck(source);
  const root = check.block(document, []);
  check.optionalBlock(root, [], "plugins");
  for (const [database, value] of check.entries(root, [], "databases")) {
    checkDatabase(check, check.block(value, ["databases", database]), ["databases", database]);
  }
  return root;
}

function checkDatabase(check: ShapeCheck, block: MetadataBlock, path: readonly string[]): void {
  check.optionalBlock(block, path, "plugins");
  for (const [table, value] of check.entries(block, path, "tables")) {
    const tablePath = [...path, "tables", table];
    check.optionalBlock(check.block(value, tablePath), tablePath, "plugins");
  }
  for (const [name, query] of check.entries(block, path, "queries")) {
    check.query(query, [...path, "queries", name]);
  }
}

class ShapeCheck {
  constructor(private readonly source: string) {}

  block(value: unknown, path: readonly string[]): MetadataBlock {
    if (value === null && path.length > 0) return {};
    if (isBlock(value)) return value;
    throw this.wrong(path, "must be an object");
  }

  optionalBlock(parent: MetadataBlock, path: readonly string[], key: string): MetadataBlock {
    const value = Object.hasOwn(parent, key) ? parent[key] : undefined;
    return value === undefined ? {} : this.block(value, [...path, key]);
  }

  entries(parent: MetadataBlock, path: readonly string[], key: string): readonly [string, unknown][] {
    return Object.entries(this.optionalBlock(parent, path, key));
  }

  query(value: unknown, path: readonly string[]): void {
    if (typeof value === "string") return;
    if (!isBlock(value)) throw this.wrong(path, "must be an SQL string or an object with the key sql");
    if (typeof value["sql"] !== "string") throw this.wrong([...path, "sql"], "must be an SQL string");
    const params = value["params"];
    const named = Array.isArray(params) && params.every((param) => typeof param === "string");
    if (params !== undefined && params !== null && !named) {
      throw this.wrong([...path, "params"], "must be a list of parameter names");
    }
  }

  private wrong(path: readonly string[], reason: string): StartupError {
    const place = path.length === 0 ? this.source : `${this.source}: ${path.join(".")}`;
    return new StartupError(`${place} ${reason}`);
  }
}
