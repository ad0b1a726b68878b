/** The level of the configuration: a table, a database, or the instance. */
export interface ConfigScope {
  readonly database?: string;
  readonly table?: string;
}

/** Resolves `{"$env": ...}` and `{"$file": ...}`. */
export interface SecretSources {
  env(name: string): string | null;
  /** @throws Error if the file cannot be read */
  file(path: string): string;
}

declare module "../kernel/rowhouse.js" {
  interface Services {
    /** Implements `rowhouse.pluginConfig`. */
    pluginConfig: { of(plugin: string, scope: ConfigScope): unknown };
  }
  interface Options {
    /** Configuration by plugin name, with unresolved references such as `{"$env": "NAME"}`. */
    pluginConfig: Readonly<Record<string, unknown>>;
    secretSources: SecretSources;
    /** The names of the plugins that were added to the bundled ones: `/-/plugins` lists these. Absent for all. */
    installedPlugins: readonly string[];
    /** The names of the bundled plugins that the configuration switches off. */
    switchedOffPlugins: readonly string[];
    /** Where each setting was set, for people: `the command line`, `rowhouse.yaml`. */
    settingOrigins: Readonly<Record<string, string>>;
  }
}
