import type { HookFunctions, HookSpec } from "./hooks.js";
import type { Rowhouse, SettingValue } from "./rowhouse.js";

/** Of the plugin API. A plugin that names another one is refused at start. */
export const API_VERSION = 1;

/** A name, plus functions named after hooks. Everything else is optional. */
export interface Plugin extends HookFunctions {
  readonly name: string;
  readonly version?: string;
  readonly apiVersion?: number;
  /** Hooks this plugin owns and fires itself: by name their kind, or what happens where a plugin fails in them too. */
  readonly hooks?: Readonly<Record<string, HookSpec>>;
  /** Hooks of other plugins that this one taps where they are there; any other unknown hook stops the start. */
  readonly optionalHooks?: readonly string[];
  readonly settings?: readonly Setting[];
  /** Folder served at `/-/static-plugins/<name>/`. */
  readonly static?: URL;
  /** Folder of templates, searched after the person's own and before the bundled ones. */
  readonly templates?: URL;
  /** Provide services; or tap hooks with tapable's own options. Runs before any hook fires. */
  apply?(rowhouse: Rowhouse): void;
}

/** A setting a plugin brings. Its type is the type of its default. */
export interface Setting {
  readonly name: string;
  readonly default: SettingValue;
  readonly help: string;
  /** Left out of published listings unless it was set: Rowhouse's own additions to the published list. */
  readonly quiet?: boolean;
  /** What is wrong with a value, or null. The type is already checked against the default's. */
  check?(value: SettingValue): string | null;
}

/** Returns `plugin` unchanged; it exists so that editors check and complete what you write. */
export const definePlugin = (plugin: Plugin): Plugin => plugin;
