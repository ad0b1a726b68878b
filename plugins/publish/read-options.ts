import { databaseFiles, type DatabaseFile } from "./database-files.js";
import { directoryOf, staticMounts, type StaticFolder } from "./folders.js";
import { readMetadata, withPluginSecrets, withShortcuts, type Metadata } from "./metadata.js";
import { readPackages, rowhouseSource, type PackageWish } from "./packages.js";
import { pluginSecrets, signingSecret } from "./secrets.js";
import { isGiven, valueOf, valuesOf, type Values } from "./values.js";

/** What the shared options ask for, looked at. */
export interface Wishes {
  readonly databases: readonly DatabaseFile[];
  /** Null where nothing is to be said. */
  readonly metadata: Metadata | null;
  readonly templates: string | null;
  readonly plugins: string | null;
  readonly statics: readonly StaticFolder[];
  readonly packages: readonly PackageWish[];
  /** Where Rowhouse is to come from, where not from the registry in this version. */
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
 * @throws StartupError for a value that does not fit, and for a file that can't be published as it is
 */
export async function readWishes(values: Values): Promise<Wishes> {
  const signing = signingSecret(valueOf(values, "secret"));
  const secrets = pluginSecrets(valuesOf(values, "plugin-secret"));
  const file = await readMetadata(valueOf(values, "metadata"));
  const metadata = withPluginSecrets(withShortcuts(file, values), secrets);
  return {
    databases: databaseFiles([...valuesOf(values, "files"), ...valuesOf(values, "--")]),
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
