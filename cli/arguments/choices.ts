import { isObject, type MetadataBlock } from "rowhouse/plugin-api";
import type { KeyPath } from "rowhouse/plugin-api/metadata";
import type { LogLevel } from "../log/server-log.js";
import type { NamedPath, StaticMount } from "./readers.js";

/** A setting before it is validated against the settings that plugins declare. */
export interface RawSetting {
  readonly value: unknown;
  /** Throws a StartupError with the reason. */
  refuse(reason: string): never;
  /** The message for an unknown name, if it differs from the usual one. */
  readonly unknownName?: string;
}

/** A plugin to load besides the bundled ones. */
export interface PluginChoice {
  /** A package, a short name or a path. */
  readonly name: string;
  readonly load: boolean;
  /** The folder in which paths and packages are searched. */
  readonly folder: string;
}

/** The metadata of one source. */
export interface MetadataLayer {
  readonly document: MetadataBlock;
  /** The name in messages: `metadata.yaml`. */
  readonly source: string;
  /** The text of the document, if it is in a file of JSON or YAML. */
  readonly file: string | null;
  /** The key of the document in that file; empty if it is the whole file. */
  readonly under: KeyPath;
}

/** All choices about a start. Each source (flags, environment, files) gives some of them. */
export interface Choices {
  readonly files: readonly NamedPath[];
  readonly immutable: readonly NamedPath[];
  readonly host: string;
  readonly port: number;
  readonly uds: string;
  /** How many processes serve. */
  readonly workers: number;
  readonly reload: boolean;
  readonly cors: boolean;
  readonly public: boolean;
  readonly loadExtension: readonly string[];
  readonly inspectFile: string;
  readonly metadata: { readonly path: string } | MetadataLayer;
  readonly templateDir: string;
  readonly pluginsDir: string;
  readonly static: readonly StaticMount[];
  readonly memory: boolean;
  readonly crossdb: boolean;
  /** The first one signs; signatures of all are accepted. */
  readonly secret: readonly string[];
  readonly root: boolean;
  readonly defaultDeny: boolean;
  readonly logFormat: "json" | "text";
  readonly logLevel: LogLevel;
  readonly quiet: boolean;
  readonly metricsPort: number;
  readonly get: string;
  readonly headers: boolean;
  readonly token: string;
  readonly actor: Readonly<Record<string, unknown>>;
  readonly versionNote: string;
  readonly helpSettings: boolean;
  readonly pdb: boolean;
  readonly open: boolean;
  readonly create: boolean;
  readonly nolock: boolean;
  readonly sslKeyfile: string;
  readonly sslCertfile: string;
  readonly internal: string;
  readonly pidFile: string;
  readonly config: string;
  readonly noConfig: boolean;

  /** By name. Values of several sources are combined. */
  readonly settings: Readonly<Record<string, RawSetting>>;
  /** By plugin name. Values of several sources are combined. */
  readonly pluginConfig: Readonly<Record<string, unknown>>;
  /**
   * Parts of the metadata in the configuration, merged over the metadata, weakest first. Those of several sources are
   * combined.
   */
  readonly layers: readonly MetadataLayer[];
  /** Those of several sources are combined by name. */
  readonly plugins: readonly PluginChoice[];
  /** Load the plugins among the direct dependencies of the project. */
  readonly autoload: boolean;
  /** If present, only these packages are loaded, in this order. */
  readonly onlyPlugins: readonly string[];
}

export type PartialChoices = { readonly [Key in keyof Choices]?: Choices[Key] };

/** Merges `stronger` over `weaker`. Whole values are replaced, except those that are combined. */
export function mergeChoices(weaker: PartialChoices, stronger: PartialChoices): PartialChoices {
  return {
    ...weaker,
    ...stronger,
    settings: { ...weaker.settings, ...stronger.settings },
    plugins: mergePlugins(weaker.plugins ?? [], stronger.plugins ?? []),
    pluginConfig: mergeDeep(weaker.pluginConfig ?? {}, stronger.pluginConfig ?? {}),
    layers: [...(weaker.layers ?? []), ...(stronger.layers ?? [])],
  };
}

const mergePlugins = (
  weaker: readonly PluginChoice[],
  stronger: readonly PluginChoice[],
): readonly PluginChoice[] => [
  ...weaker.filter(({ name }) => !stronger.some((one) => one.name === name)),
  ...stronger,
];

/** Merges objects key by key at every depth. Other values are replaced. */
export function mergeDeep(weaker: MetadataBlock, stronger: MetadataBlock): MetadataBlock {
  const merged: Record<string, unknown> = { ...weaker };
  for (const [key, value] of Object.entries(stronger)) {
    const before = Object.hasOwn(merged, key) ? merged[key] : undefined;
    const both = isObject(before) && isObject(value) ? mergeDeep(before, value) : value;
    // `__proto__` must become an ordinary key.
    Object.defineProperty(merged, key, { value: both, enumerable: true, configurable: true, writable: true });
  }
  return merged;
}
