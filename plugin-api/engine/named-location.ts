import { parse, resolve } from "node:path";
import type { DatabaseLocation } from "./database.js";

const ADDRESS = /^[a-z][a-z0-9+.-]+:\/\//i;

/**
 * True for the address of a database that an engine plugin opens; anything else is the path of a file.
 *
 * @example
 * isDatabaseAddress("postgres://ann@db1/shop"); // true
 * isDatabaseAddress("data/shop.db"); // false
 */
export const isDatabaseAddress = (source: string): boolean => ADDRESS.test(source);

/**
 * The location of a database that a user names, such as an argument of a command. Relative paths start at the current folder.
 *
 * @param source a path or an address
 * @param options.create true to create a file that does not exist
 * @example
 * namedLocation("/data/shop.db").uri; // "file:/data/shop.db"
 * namedLocation("postgres://ann@db1/shop").uri; // "postgres://ann@db1/shop"
 */
export function namedLocation(
  source: string,
  { create = false }: Pick<DatabaseLocation, "create"> = {},
): DatabaseLocation {
  const shared = { shownPath: source, mutable: true };
  if (isDatabaseAddress(source)) return { ...shared, uri: source, name: "database" };
  return { ...shared, uri: `file:${resolve(source)}`, name: parse(source).name, create };
}
