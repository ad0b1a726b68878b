import { PluginError, RowhouseError, StartupError } from "../errors/classes.js";
import type { HookFunctions, HookKind, HookPolicy, HookSpec } from "./hooks.js";
import { nearNames } from "../names/index.js";
import type { Rowhouse, Services } from "./rowhouse.js";
import type { Setting } from "./settings.js";

/** The version of the plugin API. A plugin with another `apiVersion` stops the start. */
export const API_VERSION = 1;

/** A hook function as the kernel calls it. It returns a result or a promise, or throws. */
export type HookRun = (rowhouse: Rowhouse, args: object) => unknown;

/** A hook function that is tapped: its plugin, the hook, and the declaration of the hook. */
export interface HookTap extends HookPolicy {
  readonly plugin: string;
  readonly unguarded: boolean;
  readonly hook: string;
  readonly kind: HookKind;
}

/** A plugin: a name, functions named after hooks, and optional declarations. */
export interface Plugin extends HookFunctions {
  readonly name: string;
  readonly version?: string;
  readonly apiVersion?: number;
  /** The hooks that this plugin owns and fires. */
  readonly hooks?: Readonly<Record<string, HookSpec>>;
  /** Hooks of other plugins that need not exist. Tapping any other unknown hook stops the start. */
  readonly optionalHooks?: readonly string[];
  /** Services that this plugin provides in `setup`. A missing one stops the start. */
  readonly provides?: readonly (keyof Services)[];
  /** Services of other plugins that this one needs. A missing one stops the start. */
  readonly requires?: readonly (keyof Services)[];
  /** Services of other plugins that this one uses if they exist (`serviceIfAny`). */
  readonly optional?: readonly (keyof Services)[];
  readonly settings?: readonly Setting[];
  /**
   * Pages to which this plugin contributes change only with the data, the metadata, the URL, the actor, the cookies of
   * HTML pages and the decisions of permission checks. Then they keep their entity tags and may be cached.
   */
  readonly deterministic?: true;
  /**
   * `plugin-guard` neither limits the time of this plugin's functions nor checks their results: for plugins whose
   * functions are called very often or take long at start.
   */
  readonly unguarded?: true;
  /** Folder served at `/-/static-plugins/<name>/`. */
  readonly static?: URL;
  /** Folder of templates, searched after `--template-dir` and before the templates of the pages. */
  readonly templates?: URL;
  /**
   * Wraps the hook functions of all plugins when they are tapped, for time limits or traces. The kernel calls the
   * returned function instead of `run`. The wrapper of the first plugin in the list is outermost.
   */
  wrapHook?(run: HookRun, tap: HookTap): HookRun;
  /**
   * Runs once per server, before any hook is fired. Creates the state of this plugin, provides services, and returns
   * the hook functions that use the state. Databases and services of other plugins exist from `startup` on.
   *
   * @example
   * setup(rowhouse) {
   *   const counts = new Map<string, number>();
   *   return { track_event: (_rowhouse, { event }) => void counts.set(event.name, (counts.get(event.name) ?? 0) + 1) };
   * }
   */
  setup?(rowhouse: Rowhouse): HookFunctions | void;
  /** The former name of `setup`, which does not return hook functions. */
  apply?(rowhouse: Rowhouse): void;
}

/**
 * Returns `plugin` unchanged. With it, your code editor type-checks and autocompletes the plugin.
 *
 * @example
 * const plugin = definePlugin({
 *   name: "hello",
 *   register_routes: () => ({ name: "hello", path: "/-/hello", target: "instance", view: () => reply.text("Hello") }),
 * });
 * plugin.name; // "hello"
 */
export const definePlugin = (plugin: Plugin): Plugin => plugin;

/**
 * The `wrapHook` of a plugin as a list, empty without one. Its mistakes name the plugin.
 *
 * @example
 * hookWrapperOf({ name: "mine" }); // []
 */
export function hookWrapperOf(plugin: Plugin): readonly NonNullable<Plugin["wrapHook"]>[] {
  if (plugin.wrapHook === undefined) return [];
  const failure = (error: unknown): unknown =>
    error instanceof StartupError ? error : new PluginError(plugin.name, "wrapHook", error);
  const wrap = (run: HookRun, tap: HookTap): HookRun => {
    const passedOn = new WeakSet<object>();
    const noted = catching(run, (error) => {
      passedOn.add(Object(error) as object);
      throw error;
    });
    try {
      const wrapped: unknown = plugin.wrapHook?.(plugin.unguarded === true ? run : noted, tap);
      if (typeof wrapped !== "function") throw new TypeError("it returned no function");
      if (plugin.unguarded === true) return wrapped as HookRun;
      return catching(wrapped as HookRun, (error) => {
        const isMeant = error instanceof RowhouseError || passedOn.has(Object(error) as object);
        throw isMeant ? error : failure(error);
      });
    } catch (error) {
      throw failure(error);
    }
  };
  return [wrap];
}

/** The function, with what it throws or rejects with passed to `failed`. */
const catching =
  (run: HookRun, failed: (error: unknown) => never): HookRun =>
  (rowhouse, args) => {
    try {
      const answer = run(rowhouse, args);
      return answer instanceof Promise ? answer.catch(failed) : answer;
    } catch (error) {
      return failed(error);
    }
  };

/**
 * The error for a plugin that taps a hook that does not exist, with the name that was probably meant.
 *
 * @example
 * unknownHook("mine", "start_up", ["startup"]).message;
 * // "Plugin mine taps an unknown hook: start_up, did you mean startup?"
 */
export function unknownHook(plugin: string, hook: string, known: Iterable<string>): StartupError {
  const [near] = nearNames(hook, known, 1);
  const advice = near === undefined ? "" : `, did you mean ${near}?`;
  return new StartupError(`Plugin ${plugin} taps an unknown hook: ${hook}${advice}`);
}
