import type { Rowhouse } from "rowhouse/plugin-api";
import { TokenRegistry } from "./registry.js";

const INTERNAL = "_internal";

const opened = new WeakMap<Rowhouse, Promise<TokenRegistry>>();

/** The registry of tokens in the file of `--internal`; null without this file. */
export function registryOf(rowhouse: Rowhouse): Promise<TokenRegistry> | null {
  if (rowhouse.option("internal") === undefined) return null;
  const known = opened.get(rowhouse);
  if (known !== undefined) return known;
  const database = rowhouse.databases.get(INTERNAL);
  if (database === undefined) return null;
  const opening = TokenRegistry.open(database);
  opened.set(rowhouse, opening);
  return opening;
}

/**
 * The registry for the time of a command, which runs without any database.
 *
 * @returns null when no file is named
 */
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
    return await use(await TokenRegistry.open(database));
  } finally {
    await database.close();
  }
}
