import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Wishes } from "./read-options.js";

/** The `package.json` of the site. @param version of Rowhouse, unless it comes from somewhere else */
export function manifest({ packages, plugins, rowhouse }: Wishes, version: string): string {
  const dependencies = [
    ["rowhouse", rowhouse ?? version] as const,
    ...packages.map(({ name, range }) => [name, range] as const),
  ];
  const content = {
    name: "rowhouse-site",
    private: true,
    ...moduleType(plugins),
    engines: { node: "20.x" },
    dependencies: Object.fromEntries(dependencies),
    // The driver fetches its binary when it is installed, which later versions of npm want to be told of.
    allowScripts: { sqlite3: true },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** `.js` files among the plugins are to be the kind of module there that they are here. */
function moduleType(plugins: string | null): { readonly type?: string } {
  if (plugins === null) return {};
  const type = nearestManifest(plugins)["type"];
  return typeof type === "string" ? { type } : {};
}

function nearestManifest(folder: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))) as Record<string, unknown>;
  } catch {
    const above = dirname(folder);
    return above === folder ? {} : nearestManifest(above);
  }
}
