import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isObject } from "rowhouse/plugin-api";

/** The fields of `package.json` that Rowhouse reads. */
export interface Manifest {
  readonly folder: string;
  readonly content: Readonly<Record<string, unknown>>;
}

/** The module of a plugin, and the facts about it that are known before it is loaded. */
export interface PluginFile {
  /** The name in messages: the package or path as given by the user. */
  readonly shown: string;
  readonly path: string;
  /** The name of the plugin if the module has none. */
  readonly name: string;
  readonly version: string | null;
  readonly apiVersion: number | null;
  /** The versions of Rowhouse in `peerDependencies`. */
  readonly peerRange: string | null;
}

/** The manifest in a folder; null if it does not exist or is invalid. */
export function manifestIn(folder: string): Manifest | null {
  try {
    const content: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return isObject(content) ? { folder, content } : null;
  } catch {
    return null;
  }
}

/** The folder and all folders above it, nearest first. */
export function foldersUp(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUp(above)];
}

/** The manifest of the project that contains a folder. */
export function nearestManifest(folder: string): Manifest | null {
  const found = foldersUp(folder).find((one) => existsSync(join(one, "package.json")));
  return found === undefined ? null : manifestIn(found);
}

/** The manifest of an installed package, resolved from a folder. */
export function installedPackage(name: string, folder: string): Manifest | null {
  for (const one of foldersUp(folder)) {
    const manifest = manifestIn(join(one, "node_modules", name));
    if (manifest !== null) return manifest;
  }
  return null;
}

const PLUGIN_NAME = /^(@[^/]+\/)?rowhouse-plugin-/;

/** True if the name or a keyword of a package declares it as a plugin. */
export const isPluginPackage = (name: string, manifest: Manifest | null): boolean =>
  PLUGIN_NAME.test(name) || listOf(manifest?.content["keywords"]).includes("rowhouse-plugin");

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Names of a project's direct dependencies, sorted. */
export function directDependencies(manifest: Manifest): readonly string[] {
  const blocks = ["dependencies", "devDependencies", "optionalDependencies"].map(
    (key) => manifest.content[key],
  );
  return [...new Set(blocks.flatMap((block) => (isObject(block) ? Object.keys(block) : [])))].toSorted();
}

/** True for dependencies that are always installed. */
export const isRequired = (name: string, project: Manifest): boolean =>
  isObject(project.content["dependencies"]) && Object.hasOwn(project.content["dependencies"], name);

/** The module of a plugin package: its field `rowhouse.plugin`, otherwise its main export. */
export function pluginOfPackage(manifest: Manifest, shown: string): PluginFile {
  const { content, folder } = manifest;
  const field = isObject(content["rowhouse"]) ? content["rowhouse"] : {};
  const entry = [field["plugin"], mainExport(content["exports"]), content["main"]].find(isText) ?? "index.js";
  return {
    shown,
    path: existingModule(join(folder, entry)),
    name: [field["name"], content["name"]].find(isText) ?? basename(folder),
    version: isText(content["version"]) ? content["version"] : null,
    apiVersion: typeof field["apiVersion"] === "number" ? field["apiVersion"] : null,
    peerRange: peerRange(content["peerDependencies"]),
  };
}

const peerRange = (peers: unknown): string | null =>
  isObject(peers) && isText(peers["rowhouse"]) ? peers["rowhouse"] : null;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

/** The file in `exports` for an `import` in Node. */
function mainExport(exports: unknown): string | undefined {
  if (isText(exports)) return exports;
  if (Array.isArray(exports)) return exports.map(mainExport).find(isText);
  if (!isObject(exports)) return undefined;
  if ("." in exports) return mainExport(exports["."]);
  const chosen = Object.keys(exports).find((key) =>
    ["node", "import", "module-sync", "default"].includes(key),
  );
  return chosen === undefined ? undefined : mainExport(exports[chosen]);
}

/** `main` may omit the extension, or name a folder. */
function existingModule(path: string): string {
  return [path, `${path}.js`, `${path}.cjs`, join(path, "index.js")].find(isFile) ?? path;
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();
