import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { foldersUp, isPluginPackage, manifestIn } from "./packages.js";

/** A folder with code of a plugin. */
export interface CodeFolder {
  readonly path: string;
  /** The files that count. */
  readonly counts: (name: string) => boolean;
  /** True if only files directly in the folder belong to it. */
  readonly flat?: true;
}

const CODE = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".json", ".html", ".css"]);
const isCode = (name: string): boolean => CODE.has(extname(name));

const SKIPPED = new Set(["node_modules", ".git"]);

/** For a package its folders, with links resolved; for a file the code beside it. */
export function codeAround(path: string): readonly CodeFolder[] {
  if (!existsSync(path)) return [];
  const folder = packageFolder(realpathSync(path));
  if (folder === null) return [{ path: dirname(path), counts: isCode, flat: true }];
  const folders = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name))
    .map(({ name }): CodeFolder => ({ path: join(folder, name), counts: isCode }));
  return [{ path: folder, counts: isCode, flat: true }, ...folders];
}

/** The nearest package that contains a module, unless it is the project around a plugin. */
function packageFolder(path: string): string | null {
  for (const folder of foldersUp(dirname(path))) {
    const manifest = manifestIn(folder);
    if (manifest !== null) return isPluginPackage(String(manifest.content["name"]), manifest) ? folder : null;
  }
  return null;
}
