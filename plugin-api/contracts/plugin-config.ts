/** Whose configuration: of a table, of a database, else of the whole instance. */
export interface ConfigScope {
  readonly database?: string;
  readonly table?: string;
}

/** Where `{"$env": ...}` and `{"$file": ...}` are looked up. */
export interface SecretSources {
  env(name: string): string | null;
  /** @throws Error with the reason when the file can't be read */
  file(path: string): string;
}

declare module "../rowhouse.js" {
  interface Services {
    /** What `rowhouse.pluginConfig` answers. */
    pluginConfig: { of(plugin: string, scope: ConfigScope): unknown };
  }
  interface Options {
    /** Blocks by plugin name, references such as `{"$env": "NAME"}` unresolved. */
    pluginConfig: Readonly<Record<string, unknown>>;
    secretSources: SecretSources;
  }
}
