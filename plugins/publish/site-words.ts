import { staticFolder } from "./copied-files.js";
import type { Wishes } from "./read-options.js";

const INSPECT_FILE = "inspect-data.json";

/** The arguments of `rowhouse inspect` in the bundle; null where there is nothing to inspect. */
export function inspectWords({ databases, spatialite }: Wishes): readonly string[] | null {
  if (databases.length === 0) return null;
  const extension = spatialite ? ["--load-extension", "spatialite"] : [];
  return [...databases.map(({ to }) => to), ...extension, "--inspect-file", INSPECT_FILE];
}

/** The arguments of `rowhouse serve` in the bundle, without the port. What people say themselves comes last, and wins. */
export function serveWords(wishes: Wishes, settings: Readonly<Record<string, string>>): readonly string[] {
  const { databases, metadata, templates, plugins, statics, spatialite, versionNote, extraOptions } = wishes;
  return [
    "--host=0.0.0.0",
    "--cors",
    ...databases.map(({ to }) => `--immutable=${to}`),
    ...(databases.length > 0 ? [`--inspect-file=${INSPECT_FILE}`] : []),
    ...(metadata === null ? [] : ["--metadata=metadata.json"]),
    ...(templates === null ? [] : ["--template-dir=templates"]),
    ...(plugins === null ? [] : ["--plugins-dir=plugins"]),
    ...statics.map(({ mount }, index) => `--static=${mount}:${staticFolder(index)}`),
    ...(spatialite ? ["--load-extension=spatialite"] : []),
    ...(versionNote === null ? [] : [`--version-note=${versionNote}`]),
    ...Object.entries(settings).flatMap(([name, value]) => ["--setting", name, value]),
    ...extraOptions,
  ];
}
