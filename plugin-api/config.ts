// From the whole of it, so that the settings of bundled plugins are known.
import type { MetadataBlock, Settings, SettingValue } from "./index.js";

/** A value, or where it is found when the server starts. */
export type Secret = string | { readonly $env: string } | { readonly $file: string };

/** Of a plugin: its configuration, `true` to load it, `false` not to. */
export type PluginEntry = boolean | Readonly<Record<string, unknown>>;

/** What a configuration file may say. Paths count from the folder it lies in. */
export interface RowhouseConfig {
  /** Database files, or one configuration directory. */
  readonly files?: string | readonly string[];
  /** Files that nobody changes: opened immutable, hashed, cached. */
  readonly immutable?: string | readonly string[];
  /** Add the in-memory database `_memory`. */
  readonly memory?: boolean;
  /** Let SQL in `_memory` join the first 10 files. */
  readonly crossdb?: boolean;
  /** Make files that do not exist. */
  readonly create?: boolean;
  /** Read files that another program keeps locked. */
  readonly nolock?: boolean;
  /** File of the internal database. */
  readonly internal?: string;
  /** Counts and hashes written by `rowhouse inspect`. */
  readonly inspectFile?: string;
  /** SQLite extensions for every connection, as `path` or `path:entrypoint`. */
  readonly loadExtension?: string | readonly string[];

  /** Default `127.0.0.1`; `0.0.0.0` for all addresses. */
  readonly host?: string;
  /** Default 8001; 0 picks a free one. */
  readonly port?: number;
  /** A Unix socket to listen on instead. */
  readonly uds?: string;
  readonly sslKeyfile?: string;
  readonly sslCertfile?: string;
  /** Let scripts of other sites read the data. */
  readonly cors?: boolean;
  /** Open a browser. */
  readonly open?: boolean;

  /** Folder of your own templates. */
  readonly templateDir?: string;
  /** Folders served at `/<mount>/...`: an object from mount to folder, or `mount:folder`. */
  readonly static?: string | readonly string[] | Readonly<Record<string, string>>;

  /** Signs cookies and tokens. Of several the first signs, all are accepted. */
  readonly secret?: Secret | readonly Secret[];
  /** Print a link that signs in as root, once. */
  readonly root?: boolean;
  /** Refuse whatever is not allowed explicitly. */
  readonly defaultDeny?: boolean;

  /** By name; those of plugins, too. */
  readonly settings?: Partial<Settings> & Readonly<Record<string, SettingValue>>;
  /** Names, short names or paths to load; or an object from these to their configuration. */
  readonly plugins?: readonly string[] | Readonly<Record<string, PluginEntry>>;
  /** Configuration of plugins by name, where `plugins` is a list. */
  readonly pluginConfig?: Readonly<Record<string, unknown>>;
  /** Folder of plugins to load. */
  readonly pluginsDir?: string;
  /** Load plugins among the project's direct dependencies. Default true. */
  readonly autoload?: boolean;

  /** A metadata file, or its content. */
  readonly metadata?: string | MetadataBlock;
  /** Merged over the metadata, as are the keys below. */
  readonly databases?: MetadataBlock | readonly string[];
  readonly permissions?: MetadataBlock;
  readonly allow?: unknown;
  readonly allow_sql?: unknown;
  readonly extra_css_urls?: readonly unknown[];
  readonly extra_js_urls?: readonly unknown[];

  /** Shown at `/-/versions`. */
  readonly versionNote?: string;
  /** Restart when plugins, templates, metadata or configuration change. */
  readonly reload?: boolean;
}

/**
 * Returns `config` unchanged; it exists so that editors check and complete what you write in
 * `rowhouse.config.ts` or `rowhouse.config.mjs`.
 */
export const defineConfig = (config: RowhouseConfig): RowhouseConfig => config;
