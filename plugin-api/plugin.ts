import { otherHookNames } from "./hooks.js";
import type { HookFunctions, HookKind, HookPolicy, HookSpec, OtherHookNames } from "./hooks.js";
import type { Rowhouse, Services, SettingValue } from "./rowhouse.js";

/** Of the plugin API. A plugin that names another one is refused at start. */
export const API_VERSION = 1;

/** A plugin's function for a hook, as the kernel calls it: it answers, throws, or promises an answer. */
export type HookRun = (rowhouse: Rowhouse, args: object) => unknown;

/** Whose function it is, in which hook, and what was declared of that hook. */
export interface HookTap extends HookPolicy {
  readonly plugin: string;
  readonly bundled: boolean;
  readonly hook: string;
  readonly kind: HookKind;
}

/** A name, plus functions named after hooks. Everything else is optional. */
export interface Plugin extends HookFunctions {
  readonly name: string;
  readonly version?: string;
  readonly apiVersion?: number;
  /** Hooks this plugin owns and fires itself: by name their kind, or what happens where a plugin fails in them too. */
  readonly hooks?: Readonly<Record<string, HookSpec>>;
  /** Hooks of other plugins that this one taps where they are there; any other unknown hook stops the start. */
  readonly optionalHooks?: readonly string[];
  /** Services that this plugin provides in `apply`. A missing one stops the start. */
  readonly provides?: readonly (keyof Services)[];
  /** Services of other plugins without which this one would not work, or not be safe. A missing one stops the start. */
  readonly requires?: readonly (keyof Services)[];
  /** Services of other plugins that this one uses where they exist (`serviceIfAny`). */
  readonly optional?: readonly (keyof Services)[];
  readonly settings?: readonly Setting[];
  /** Folder served at `/-/static-plugins/<name>/`. */
  readonly static?: URL;
  /** Folder of templates, searched after the person's own and before the bundled ones. */
  readonly templates?: URL;
  /**
   * Puts something around every hook function of every plugin when it is tapped: supervision, traces. What it
   * returns is called in place of `run`. The plugin that is listed last is outermost.
   */
  wrapHook?(run: HookRun, tap: HookTap): HookRun;
  /** Provide services; or tap hooks with tapable's own options. Runs before any hook fires. */
  apply?(rowhouse: Rowhouse): void;
}

/** A setting a plugin brings. Its type is the type of its default. */
export interface Setting {
  readonly name: string;
  readonly default: SettingValue;
  readonly help: string;
  /** Left out of published listings unless it was set: Rowhouse's own additions to the published list. */
  readonly unlisted?: boolean;
  /** What is wrong with a value, or null. The type is already checked against the default's. */
  check?(value: SettingValue): string | null;
}

/** Returns `plugin` unchanged; it exists so that editors check and complete what you write. */
export const definePlugin = (plugin: Plugin): Plugin => plugin;

const NOT_HOOKS: ReadonlySet<string> = new Set(
  (
    "name version apiVersion hooks optionalHooks provides requires optional settings static templates apply " +
    "wrapHook"
  ).split(" "),
);

/** Names of the hooks a plugin taps, sorted; where it uses another name of one, the one it is listed under. */
export const tappedHooks = (plugin: Plugin): string[] => tapsOf(plugin).map(([hook]) => hook);

/** What a plugin says to each hook it taps, sorted by the names of the hooks. */
export const tapsOf = (plugin: Plugin): (readonly [hook: string, value: unknown])[] =>
  Object.entries(plugin)
    .filter(([key, value]) => !NOT_HOOKS.has(key) && value !== undefined)
    .map(([key, value]) => [hookNamed(key), value] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));

const hookNamed = (name: string): string =>
  Object.hasOwn(otherHookNames, name) ? otherHookNames[name as keyof OtherHookNames] : name;
