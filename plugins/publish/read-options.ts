import { databaseFiles, type DatabaseFile } from "./database-files.js";
import { readMetadata, withPluginSecrets, withShortcuts, type Metadata } from "./metadata.js";
import { readPackages, rowhouseSource, type PackageSource } from "./packages.js";
import { pluginSecrets, signingSecret } from "./secrets.js";
import { isGiven, valueOf, valuesOf, refuseValue, type Values } from "./options.js";
import { statSync } from "node:fs";
import { resolve } from "node:path";

/** The validated values of the shared options. */
export interface SiteOptions {
  readonly databases: readonly DatabaseFile[];
  /** Null if there is none. */
  readonly metadata: Metadata | null;
  readonly templates: string | null;
  readonly plugins: string | null;
  readonly statics: readonly StaticFolder[];
  readonly packages: readonly PackageSource[];
  /** The source of Rowhouse for npm; null for this version from the registry. */
  readonly rowhouse: string | null;
  readonly spatialite: boolean;
  readonly extraOptions: readonly string[];
  readonly versionNote: string | null;
  readonly secrets: Readonly<Record<string, string>>;
  readonly secretIsNew: boolean;
}

/**
 * Reads the options that `package` and all targets share.
 *
 * @throws StartupError for invalid values, and for files that cannot be published
 */
export async function readSiteOptions(values: Values): Promise<SiteOptions> {
  const signing = signingSecret(valueOf(values, "secret"));
  const secrets = pluginSecrets(valuesOf(values, "plugin-secret"));
  const file = await readMetadata(valueOf(values, "metadata"));
  const metadata = withPluginSecrets(withShortcuts(file, values), secrets);
  return {
    databases: databaseFiles(valuesOf(values, "files")),
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
    templates: directoryOf(values, "template-dir"),
    plugins: directoryOf(values, "plugins-dir"),
    statics: staticMounts(valuesOf(values, "static")),
    packages: readPackages(valuesOf(values, "install")),
    rowhouse: rowhouseSource(valueOf(values, "branch")),
    spatialite: isGiven(values, "spatialite"),
    extraOptions: (valueOf(values, "extra-options") ?? "").split(/\s+/).filter(Boolean),
    versionNote: valueOf(values, "version-note"),
    secrets: {
      ROWHOUSE_SECRET: signing.secret,
      ...Object.fromEntries(secrets.map(({ variable, value }) => [variable, value])),
    },
    secretIsNew: signing.isNew,
  };
}

/** Files to serve at `/mount/...`. */
export interface StaticFolder {
  readonly mount: string;
  readonly path: string;
}

/**
 * The folder of an option; null without the option.
 *
 * @throws StartupError (exit code 2) if it does not exist
 */
function directoryOf(values: Values, name: string): string | null {
  const shown = valueOf(values, name);
  if (shown === null) return null;
  const found = statSync(shown, { throwIfNoEntry: false });
  if (found === undefined) return refuseValue(`'--${name}'`, `Directory '${shown}' does not exist.`);
  return found.isDirectory() ? resolve(shown) : refuseValue(`'--${name}'`, `Directory '${shown}' is a file.`);
}

/** @throws StartupError (exit code 2) for values other than `mount:folder` */
const staticMounts = (written: readonly string[]): readonly StaticFolder[] =>
  written.map((one) => {
    const colon = one.indexOf(":");
    if (colon === -1) return refuseValue("'--static'", `"${one}" should be of format mountpoint:directory`);
    const path = resolve(one.slice(colon + 1));
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
      return refuseValue("'--static'", `${one} is not a valid directory path`);
    return { mount: one.slice(0, colon), path };
  });
