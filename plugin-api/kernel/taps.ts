import { isMember } from "./definition-mistake.js";
import { otherHookNames, type HookFunctions, type OtherHookNames } from "./hooks.js";
import type { Plugin } from "./plugin.js";

/**
 * The sorted names of the hooks that the definition of a plugin taps, without those that `setup` returns. Alternative
 * names are replaced by those of the hooks.
 *
 * @example
 * tappedHooks({ name: "mine", startup: () => undefined }); // ["startup"]
 */
export const tappedHooks = (plugin: Plugin): string[] => tapsOf(plugin).map(([hook]) => hook);

/** Hooks sorted by name, with the function or `{ order, run }` of each. */
export type Taps = readonly (readonly [hook: string, value: unknown])[];

/**
 * The hooks that a plugin, or the result of `setup`, taps.
 *
 * @example
 * tapsOf({ name: "mine", startup: () => undefined }).map(([hook]) => hook); // ["startup"]
 */
export const tapsOf = (plugin: Plugin | HookFunctions): Taps =>
  Object.entries(plugin)
    .filter(([key, value]) => !isMember(key) && value !== undefined)
    .map(([key, value]) => [hookNamed(key), value] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));

const hookNamed = (name: string): string =>
  Object.hasOwn(otherHookNames, name) ? otherHookNames[name as keyof OtherHookNames] : name;
