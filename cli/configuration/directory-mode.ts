import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { StartupError, isObject } from "rowhouse/plugin-api";
import type { PartialChoices } from "../arguments/choices.js";
import { realFile } from "./databases.js";
import { readJsonFile } from "./read-file.js";
import type { NamedPath } from "../arguments/readers.js";
import { settingsFile } from "../arguments/setting-layer.js";

const DATABASE_SUFFIXES = [".db", ".sqlite", ".sqlite3"];
const METADATA_FILES = ["metadata.json", "metadata.yaml", "metadata.yml"];

/** The directory in the file arguments, if it is the only argument. */
export function configurationDirectory(files: readonly NamedPath[]): NamedPath | null {
  const directory = files.find(({ path }) => existsSync(path) && statSync(path).isDirectory());
  if (directory === undefined) return null;
  if (files.length === 1) return directory;
  throw new StartupError(
    `Invalid value for '[FILES]...': Directory '${directory.shown}' must be the only argument.`,
    2,
  );
}

/**
 * The choices in the files of a configuration directory.
 *
 * @param directory the directory; listings show its files below `shown`
 * @param others the file of `--inspect-file`, which replaces that of the directory, and that of `--internal`, which is
 *   not served
 * @throws StartupError for `config.json`, and for invalid files
 */
export function directoryChoices(
  directory: NamedPath,
  { inspectFile, internal }: Pick<PartialChoices, "inspectFile" | "internal">,
): PartialChoices {
  const at = (name: string): string => join(directory.path, name);
  const has = (name: string): boolean => existsSync(at(name));
  const hasFolder = (name: string): boolean => has(name) && statSync(at(name)).isDirectory();
  if (has("config.json")) throw new StartupError("config.json should be renamed to settings.json");

  const inspect = inspectFile ?? (has("inspect-data.json") ? at("inspect-data.json") : undefined);
  const inspected = inspectedFiles(inspect);
  const own = internal === undefined ? null : realFile(internal);
  const files = databaseFiles(directory).filter(({ path }) => realFile(path) !== own);
  const metadata = METADATA_FILES.find(has);
  return {
    files: files.filter(({ path }) => !inspected.has(basename(path))),
    immutable: files.filter(({ path }) => inspected.has(basename(path))),
    ...(metadata !== undefined && { metadata: { path: at(metadata) } }),
    ...(has("settings.json") && { settings: settingsFile(readJsonFile(at("settings.json"))) }),
    ...(inspect !== undefined && { inspectFile: inspect }),
    ...(hasFolder("templates") && { templateDir: at("templates") }),
    ...(hasFolder("plugins") && { pluginsDir: at("plugins") }),
    ...(hasFolder("static") && { static: [{ mount: "static", folder: at("static") }] }),
  };
}

/**
 * A directory of Datasette may have permissions in its configuration file. Without them its data would be public.
 *
 * @throws StartupError if there is one
 */
export function refuseOtherConfig({ path }: NamedPath): void {
  const found = ["datasette.yaml", "datasette.yml", "datasette.json"].find((name) =>
    existsSync(join(path, name)),
  );
  if (found !== undefined)
    throw new StartupError(`${found} should be renamed to ${found.replace("datasette", "rowhouse")}`);
}

/** Database files by suffix, then by name. */
function databaseFiles(directory: NamedPath): readonly NamedPath[] {
  const names = readdirSync(directory.path).toSorted();
  return DATABASE_SUFFIXES.flatMap((suffix) =>
    names
      .filter((name) => extname(name) === suffix)
      .map((name) => ({ path: join(directory.path, name), shown: join(directory.shown, name) })),
  );
}

function inspectedFiles(inspectFile: string | undefined): ReadonlySet<string> {
  if (inspectFile === undefined) return new Set();
  const data = readJsonFile(inspectFile);
  if (!isObject(data)) return new Set();
  return new Set(Object.values(data).flatMap((one) => (isObject(one) ? basename(String(one["file"])) : [])));
}
