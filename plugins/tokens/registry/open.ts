import type { Rowhouse } from "rowhouse/plugin-api";
import { TokenRegistry } from "./registry.js";

const INTERNAL = "_internal";

/** Returns the registry of tokens in the file of `--internal`; null without this file. */
export type FindRegistry = () => TokenRegistry | null;

/** The registry of a server. It is made on first use, because the internal database is opened at `startup`. */
export function serverRegistry(rowhouse: Rowhouse): FindRegistry {
  let registry: TokenRegistry | null = null;
  return () => {
    if (registry !== null || rowhouse.option("internal") === undefined) return registry;
    const database = rowhouse.databases.get(INTERNAL);
    if (database !== undefined) registry = new TokenRegistry(database);
    return registry;
  };
}

/** Opens the registry for one command, which runs without databases. Returns null without `--internal`. */
export async function withRegistry<T>(
  rowhouse: Rowhouse,
  use: (registry: TokenRegistry) => Promise<T>,
): Promise<T | null> {
  const file = rowhouse.option("internal");
  if (file === undefined) return null;
  const database = await rowhouse.addDatabase({
    uri: `file:${file}`,
    name: INTERNAL,
    mutable: true,
    create: true,
    internal: true,
  });
  try {
    return await use(new TokenRegistry(database));
  } finally {
    await database.close();
  }
}
