import { Kernel } from "rowhouse";
import { bundledPlugins } from "rowhouse/plugins";
import type { Dialect } from "rowhouse/plugin-api/engine";
import { SECRET } from "./bare-kernel.js";

/** The dialect of SQLite, as other plugins get it: from a database. */
export const sqliteDialect: Dialect = await dialectOf("memory:");

async function dialectOf(uri: string): Promise<Dialect> {
  const plugins = bundledPlugins.filter(({ name }) => name === "sqlite").map((plugin) => ({ plugin }));
  const databases = [{ uri, name: "memory", mutable: true }];
  const kernel = await Kernel.open({ plugins, databases, secrets: [SECRET] });
  const { dialect } = kernel.database("memory");
  await kernel.close();
  return dialect;
}
