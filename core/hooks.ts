import {
  API_VERSION,
  hookStage,
  kernelHooks,
  kernelPolicies,
  StartupError,
  tapsOf,
  trackFinishedBodies,
  type HookKind,
  type HookPolicy,
  type HookRun,
  type Hooks,
  type HookSpec,
  type Plugin,
  type Rowhouse,
  type ReceiveAnswer,
} from "rowhouse/plugin-api";
import { AsyncSeriesBailHook, AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncHook } from "tapable";
import type { PluginInput } from "./options.js";
import { perResource, oneResourceForm } from "./permission-hook.js";

/** What is needed to tap the functions of one plugin. */
interface Tapping extends PluginInput {
  readonly hooks: Hooks;
  /** Functions of plugins that wrap the hook functions of every plugin. */
  readonly hookWrappers: readonly NonNullable<Plugin["wrapHook"]>[];
}

type Ordered = { readonly order: "early" | "late"; readonly run: HookRun };

interface AnyHook {
  tap(options: object, fn: unknown): void;
  tapAsync?(options: object, fn: unknown): void;
}

/** What each hook was declared as: tapable's own objects don't tell a list from a value. */
const policies = new WeakMap<AnyHook, HookPolicy & { readonly kind: HookKind }>();

type Done = (error: unknown, result?: unknown) => void;

/** Tells `done` what `call` answers: at once when it can, since most answers are no promises. */
function settle(call: () => unknown, use: (answer: unknown) => unknown, done: Done): void {
  let answer: unknown;
  try {
    answer = call();
  } catch (error) {
    return done(error);
  }
  // oxlint-disable-next-line promise/no-callback-in-promise -- callbacks are what tapable speaks
  if (answer instanceof Promise) answer.then((value: unknown) => done(null, use(value)), done);
  else done(null, use(answer));
}

const nothing = (): undefined => undefined;
const unlessNull = (answer: unknown): unknown => answer ?? undefined;
const replacing = (value: unknown) => (answer: unknown) => answer ?? value;
const appended = (list: readonly unknown[]) => (answer: unknown) =>
  (answer ?? null) === null ? list : list.concat(answer);

type Two = [unknown, unknown];
type Three = [unknown, unknown, unknown];

/** Per kind of hook the tapable object behind it. */
const TAPABLE: Readonly<Record<HookKind, () => unknown>> = {
  notify: () => new AsyncSeriesHook<Two>(["rowhouse", "args"]),
  first: () => new AsyncSeriesBailHook<Two, unknown>(["rowhouse", "args"]),
  collect: () => new AsyncSeriesWaterfallHook<Three>(["value", "rowhouse", "args"]),
  transform: () => new AsyncSeriesWaterfallHook<Three>(["value", "rowhouse", "args"]),
  poll: () => new SyncHook<Three>(["take", "rowhouse", "args"]),
};

/** Per kind, how authors' functions are fitted to tapable; spreading arguments of many shapes would be slow. */
const ADAPTERS = {
  notify: (run: HookRun) => (rowhouse: Rowhouse, args: object, done: Done) =>
    settle(() => run(rowhouse, args), nothing, done),
  // tapable stops at anything but undefined; null is no answer here.
  first: (run: HookRun) => (rowhouse: Rowhouse, args: object, done: Done) =>
    settle(() => run(rowhouse, args), unlessNull, done),
  collect: (run: HookRun) => (list: readonly unknown[], rowhouse: Rowhouse, args: object, done: Done) =>
    settle(() => run(rowhouse, args), appended(list), done),
  transform: (run: HookRun) => (value: unknown, rowhouse: Rowhouse, args: object, done: Done) =>
    settle(() => run(rowhouse, Object.assign({ value }, args)), replacing(value), done),
  poll:
    (run: HookRun, plugin: string) => (take: ReceiveAnswer<unknown>, rowhouse: Rowhouse, args: object) => {
      try {
        take(plugin, run(rowhouse, args));
      } catch (error) {
        // As a failed promise, so that the others are asked all the same.
        take(plugin, Promise.reject(error));
      }
    },
} as const;

function create(spec: HookSpec): AnyHook {
  const policy = typeof spec === "string" ? { kind: spec } : spec;
  const hook = TAPABLE[policy.kind]() as AnyHook;
  policies.set(hook, policy);
  return hook;
}

/**
 * The kernel's hooks and those that plugins define. A hook of a plugin that is switched off exists without effect, so
 * that plugins may tap it; a loaded plugin that defines it as well takes its place.
 *
 * @throws StartupError when two loaded plugins define one name
 */
export function createHooks(plugins: readonly Plugin[], switchedOff: readonly Plugin[] = []): Hooks {
  const hooks: Record<string, AnyHook> = {};
  for (const [name, kind] of Object.entries<HookKind>(kernelHooks))
    hooks[name] = create({ kind, ...kernelPolicies[name as keyof typeof kernelHooks] });
  for (const plugin of plugins) {
    for (const [name, spec] of Object.entries(plugin.hooks ?? {})) {
      if (Object.hasOwn(hooks, name))
        throw new StartupError(`Plugin ${plugin.name} defines the hook ${name}, which exists already`);
      hooks[name] = create(spec);
    }
  }
  for (const [name, spec] of switchedOff.flatMap((plugin) => Object.entries(plugin.hooks ?? {})))
    hooks[name] ??= create(spec);
  hooks["permission_allowed"] = oneResourceForm(hooks["permission_allowed_many"] as never) as never;
  return hooks as unknown as Hooks;
}

const isOrdered = (value: unknown): value is Ordered =>
  typeof value === "object" && value !== null && "run" in value && typeof value.run === "function";

/** Taps every hook function of a plugin. @throws StartupError for a hook that does not exist */
export function tapPlugin(tapping: Tapping): void {
  const { plugin } = tapping;
  if (plugin.apiVersion !== undefined && plugin.apiVersion !== API_VERSION)
    throw new StartupError(
      `Plugin ${plugin.name} was made for plugin API version ${plugin.apiVersion}; this is version ${API_VERSION}`,
    );
  const taps = tapsOf(plugin);
  const answersMany = taps.some(([name]) => name === "permission_allowed_many");
  for (const [name, value] of taps) {
    // A plugin with both forms is asked once.
    if (name === "permission_allowed" && answersMany) continue;
    tapFunction(tapping, name, value);
  }
}

function tapFunction({ hooks, plugin, bundled, hookWrappers }: Tapping, name: string, value: unknown): void {
  const tapped = name === "permission_allowed" ? "permission_allowed_many" : name;
  const hook = (hooks as unknown as Record<string, AnyHook | undefined>)[tapped];
  // The owner may be switched off, or not installed.
  if (hook === undefined && (bundled || plugin.optionalHooks?.includes(name))) return;
  if (hook === undefined) throw new StartupError(`Plugin ${plugin.name} taps an unknown hook: ${name}`);
  const run = isOrdered(value) ? value.run : value;
  if (typeof run !== "function") throw new StartupError(`Plugin ${plugin.name}: ${name} must be a function`);
  const bound: HookRun = (rowhouse, args) => (run as HookRun).call(plugin, rowhouse, args);
  const policy = policies.get(hook) ?? { kind: "notify" };
  const options = {
    name: plugin.name,
    stage: hookStage(bundled, policy, isOrdered(value) ? value.order : null),
  };
  const tap = { ...policy, plugin: plugin.name, bundled, hook: name };
  const wrapped = [trackFinishedBodies, ...hookWrappers].reduce((inner, wrap) => wrap(inner, tap), bound);
  const fitted = name === "permission_allowed" ? perResource(wrapped) : wrapped;
  if (policy.kind === "poll") hook.tap(options, ADAPTERS.poll(fitted, plugin.name));
  else hook.tapAsync?.(options, ADAPTERS[policy.kind](fitted));
}
