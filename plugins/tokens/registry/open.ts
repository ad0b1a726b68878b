import type { Database, Rowhouse } from "rowhouse/plugin-api";
import { REGISTRY_TABLE, TokenRegistry } from "./registry.js";

const INTERNAL = "_internal";

/** Returns the registry of tokens in the file of `--internal`; null without this file. */
export type FindRegistry = () => Promise<TokenRegistry> | null;

/**
 * The registry of a server. It is opened on first use, because the internal database is opened at `startup`. If that fails,
 * the next use tries again.
 */
export function serverRegistry(rowhouse: Rowhouse): FindRegistry {
  let registry: Promise<TokenRegistry> | null = null;
  return () => {
    if (registry !== null || rowhouse.option("internal") === undefined) return registry;
    const database = rowhouse.databases.get(INTERNAL);
    if (database === undefined) return null;
    registry = TokenRegistry.open(database);
    registry.catch(() => (registry = null));
    return registry;
  };
}

/** Opens the registry for one command, which runs without databases. Returns null without `--internal`. */
export const withRegistry = <T>(
  rowhouse: Rowhouse,
  use: (registry: TokenRegistry) => Promise<T>,
): Promise<T | null> => withInternal(rowhouse, async (database) => use(await TokenRegistry.open(database)));

/** Like `withRegistry`, for commands that change no other file. `use` gets null for a file without a registry. */
export const withExistingRegistry = <T>(
  rowhouse: Rowhouse,
  use: (registry: TokenRegistry | null) => Promise<T>,
): Promise<T | null> =>
  withInternal(rowhouse, async (database) => {
    const { tables } = await database.schema();
    return use(tables.has(REGISTRY_TABLE) ? await TokenRegistry.open(database) : null);
  });

async function withInternal<T>(
  rowhouse: Rowhouse,
  use: (database: Database) => Promise<T>,
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
    return await use(database);
  } finally {
    await database.close();
  }
}
