import { isObject } from "rowhouse/plugin-api";
import type { KeyPath, MetadataBlock } from "rowhouse/plugin-api";
import type { NamedPath, StaticMount } from "./readers.js";

/** A setting as somebody wrote it, not yet checked against what plugins declare. */
export interface WrittenSetting {
  readonly value: unknown;
  /** Ends the start, saying what is wrong. */
  refuse(reason: string): never;
  /** What to say of a name nobody declared, where that differs from the usual. */
  readonly unknownName?: string;
}

/** Which plugins to load beside the bundled ones, and from where. */
export interface PluginChoice {
  /** A package, a short name or a path. */
  readonly name: string;
  readonly load: boolean;
  /** The folder paths and packages are looked up from. */
  readonly folder: string;
}

/** Metadata as one source states it. */
export interface MetadataLayer {
  readonly document: MetadataBlock;
  /** What messages call it: `metadata.yaml`. */
  readonly source: string;
  /** Where it was written, if in a file of JSON or YAML. */
  readonly file: string | null;
  /** The key of that file under which the document stands; empty for the whole file. */
  readonly under: KeyPath;
}

/** Everything a person can choose about a start. Each source (flags, environment, files) states a part of it. */
export interface Choices {
  readonly files: readonly NamedPath[];
  readonly immutable: readonly NamedPath[];
  readonly host: string;
  readonly port: number;
  readonly uds: string;
  readonly reload: boolean;
  readonly cors: boolean;
  readonly loadExtension: readonly string[];
  readonly inspectFile: string;
  readonly metadata: { readonly path: string } | MetadataLayer;
  readonly templateDir: string;
  readonly pluginsDir: string;
  readonly static: readonly StaticMount[];
  readonly memory: boolean;
  readonly crossdb: boolean;
  /** The first signs; all are accepted. */
  readonly secret: readonly string[];
  readonly root: boolean;
  readonly defaultDeny: boolean;
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
  readonly config: string;
  readonly noConfig: boolean;

  /** By name; sources add up. */
  readonly settings: Readonly<Record<string, WrittenSetting>>;
  /** By plugin name; sources add up. */
  readonly pluginConfig: Readonly<Record<string, unknown>>;
  /** Metadata-shaped parts of the configuration, merged over the metadata; weakest first, sources add up. */
  readonly layers: readonly MetadataLayer[];
  readonly plugins: readonly PluginChoice[];
  /** Load plugins among the direct dependencies of the project. */
  readonly autoload: boolean;
  /** When given, only these packages are loaded, in this order. */
  readonly onlyPlugins: readonly string[];
}

export type PartialChoices = { readonly [Key in keyof Choices]?: Choices[Key] };

/** `weaker` with `stronger` on top: whole values replace each other, except those that are said to add up. */
export function mergeChoices(weaker: PartialChoices, stronger: PartialChoices): PartialChoices {
  return {
    ...weaker,
    ...stronger,
    settings: { ...weaker.settings, ...stronger.settings },
    pluginConfig: mergeDeep(weaker.pluginConfig ?? {}, stronger.pluginConfig ?? {}),
    layers: [...(weaker.layers ?? []), ...(stronger.layers ?? [])],
  };
}

/** Objects are merged key by key at every depth; anything else is replaced. */
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
