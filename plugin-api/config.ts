// From the index, which also imports the settings of bundled plugins.
import type { MetadataBlock, Settings, SettingValue } from "./index.js";

/** A secret, or the environment variable or file that contains it when the server starts. */
export type Secret = string | { readonly $env: string } | { readonly $file: string };

/** The configuration of a plugin, `true` to load it without any, or `false` to switch it off. */
export type PluginEntry = boolean | Readonly<Record<string, unknown>>;

/** The keys of a configuration file. Paths are relative to its folder. */
export interface RowhouseConfig {
  /** Database files, or one configuration directory. */
  readonly files?: string | readonly string[];
  /** Files that never change while they are served: opened as immutable, hashed and cached. */
  readonly immutable?: string | readonly string[];
  /** Add the in-memory database `_memory`. */
  readonly memory?: boolean;
  /** Attach the first 10 files to `_memory`, for SQL that joins tables of several databases. */
  readonly crossdb?: boolean;
  /** Create files that do not exist. */
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
  /** Default 8001; 0 selects a free port. */
  readonly port?: number;
  /** A Unix socket to listen on instead. */
  readonly uds?: string;
  /** Processes that serve. `auto` is one for each core. Default 1. */
  readonly workers?: number | "auto";
  readonly sslKeyfile?: string;
  readonly sslCertfile?: string;
  /** File for the process id, by which `rowhouse reload` finds the server. */
  readonly pidFile?: string;
  /** Send CORS headers, so that scripts of other sites can read the data. */
  readonly cors?: boolean;
  /** Limit what each client can use: for servers on the internet. */
  readonly public?: boolean;
  /** Open a browser. */
  readonly open?: boolean;

  /** Folder of your own templates. */
  readonly templateDir?: string;
  /** Folders served at `/<mount>/...`: an object from mount to folder, or `mount:folder`. */
  readonly static?: string | readonly string[] | Readonly<Record<string, string>>;

  /** Signs cookies and tokens. The first of several signs; signatures of all are accepted. */
  readonly secret?: Secret | readonly Secret[];
  /** Print a link that signs in as root and works once. */
  readonly root?: boolean;
  /** Deny every permission that is not granted explicitly. */
  readonly defaultDeny?: boolean;

  /** The form of the log. Default `text`. */
  readonly logFormat?: "text" | "json";
  /** The least important messages in the log. Default `info`, with one line for each request. */
  readonly logLevel?: "info" | "warn" | "error";
  /** Log only warnings and errors. */
  readonly quiet?: boolean;
  /** Serve metrics for Prometheus on this port, and only there. */
  readonly metricsPort?: number;

  /** Values of settings by name, including settings of plugins. */
  readonly settings?: Partial<Settings> & Readonly<Record<string, SettingValue>>;
  /** Plugins to load, as names, short names or paths; or an object with the configuration of each. */
  readonly plugins?: readonly string[] | Readonly<Record<string, PluginEntry>>;
  /** Configuration of plugins by name, for a `plugins` key that is a list. */
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
 * Returns `config` unchanged. With it, your code editor type-checks and autocompletes `rowhouse.config.ts` and
 * `rowhouse.config.mjs`.
 */
export const defineConfig = (config: RowhouseConfig): RowhouseConfig => config;
