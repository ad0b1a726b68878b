import { AsyncSeriesBailHook, AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncHook } from "tapable";
import { StartupError, isObject, type Plugin, type Rowhouse, type Visit } from "rowhouse/plugin-api";
import {
  kernelHooks,
  unknownHook,
  type HookKind,
  type HookPolicy,
  type HookRun,
  type Hooks,
  type HookSpec,
  type OnlyFor,
  type Taps,
} from "rowhouse/plugin-api/kernel";
import { trackFinishedBodies } from "./open-bodies.js";
import { perResource, oneResourceForm, type Take } from "./permissions.js";

/** The arguments of `tapPlugin`. */
interface Tapping {
  readonly plugin: Plugin;
  readonly hooks: Hooks;
  /** The hook functions of the definition and of `setup`. */
  readonly taps: Taps;
  /** The `wrapHook` functions of all plugins. */
  readonly hookWrappers: readonly NonNullable<Plugin["wrapHook"]>[];
}

type Ordered = { readonly order?: keyof typeof STAGES; readonly only?: OnlyFor; readonly run: HookRun };

/** The stages in which tapable runs functions. Within one stage, the order is that of the plugins. */
const STAGES = { early: -1, late: 1, last: 2 } as const;

interface AnyHook {
  tap(options: object, fn: unknown): void;
  tapAsync?(options: object, fn: unknown): void;
}

/** The declaration of each hook. The objects of tapable do not tell `collect` from `transform`. */
const policies = new WeakMap<AnyHook, HookPolicy & { readonly kind: HookKind }>();

/** The arguments by which hook functions can be limited. A hook has some of them. */
type LimitingArgs = { readonly visit?: Visit; readonly request?: Visit["request"]; readonly action?: string };
type Done = (error: unknown, result?: unknown) => void;

/** Passes the result of `call` to `done`: synchronously unless it is a promise, since most results are none. */
function settle(call: () => unknown, use: (answer: unknown) => unknown, done: Done): void {
  let answer: unknown;
  try {
    answer = call();
  } catch (error) {
    return done(error);
  }
  // oxlint-disable-next-line promise/no-callback-in-promise -- tapable expects callbacks
  if (answer instanceof Promise) answer.then((value: unknown) => done(null, use(value)), done);
  else done(null, use(answer));
}

const unlessNull = (answer: unknown): unknown => answer ?? undefined;
const kept = (value: unknown) => (answer: unknown) => value ?? answer;
const replacing = (value: unknown) => (answer: unknown) => answer ?? value;
const appended = (list: readonly unknown[]) => (answer: unknown) =>
  (answer ?? null) === null ? list : list.concat(answer);

const waterfall = (): unknown =>
  new AsyncSeriesWaterfallHook<[unknown, unknown, unknown]>(["value", "rowhouse", "args"]);

/** Creates the tapable object of each kind of hook. */
const TAPABLE: Readonly<Record<HookKind, () => unknown>> = {
  notify: () => new AsyncSeriesHook<[unknown, unknown]>(["rowhouse", "args"]),
  first: () => new AsyncSeriesBailHook<[unknown, unknown], unknown>(["rowhouse", "args"]),
  firstOfAll: waterfall,
  collect: waterfall,
  transform: waterfall,
  poll: () => new SyncHook<[unknown, unknown, unknown]>(["take", "rowhouse", "args"]),
};

/** For hooks whose functions get the `value` so far. */
const withValue =
  (combine: typeof kept) =>
  (run: HookRun) =>
  (value: unknown, rowhouse: Rowhouse, args: object, done: Done) =>
    settle(() => run(rowhouse, Object.assign({ value }, args)), combine(value), done);

/** Adapts plugin functions to tapable, per kind of hook. One generic adapter with spread arguments would be slower. */
const ADAPTERS = {
  notify: (run: HookRun) => (rowhouse: Rowhouse, args: object, done: Done) =>
    settle(() => run(rowhouse, args), unlessNull, done),
  // tapable stops at every value except undefined; here, null is no answer either.
  first: (run: HookRun) => (rowhouse: Rowhouse, args: object, done: Done) =>
    settle(() => run(rowhouse, args), unlessNull, done),
  firstOfAll: withValue(kept),
  collect: (run: HookRun) => (list: readonly unknown[], rowhouse: Rowhouse, args: object, done: Done) =>
    settle(() => run(rowhouse, args), appended(list), done),
  transform: withValue(replacing),
  poll: (run: HookRun, plugin: string) => (take: Take, rowhouse: Rowhouse, args: object) => {
    try {
      take(plugin, run(rowhouse, args));
    } catch (error) {
      // A rejected promise, so that the functions of other plugins still run.
      take(plugin, Promise.reject(error));
    }
  },
} as const;

function createHook(spec: HookSpec): AnyHook {
  const policy = typeof spec === "string" ? { kind: spec } : spec;
  const hook = TAPABLE[policy.kind]() as AnyHook;
  policies.set(hook, policy);
  return hook;
}

/**
 * Creates the hooks of the kernel and of plugins. Hooks of switched-off plugins are created too, but never fired, so
 * that other plugins may tap them. If a loaded plugin defines the same hook, that definition is used.
 *
 * @throws StartupError when two loaded plugins define one name
 */
export function createHooks(plugins: readonly Plugin[], switchedOff: readonly Plugin[]): Hooks {
  const hooks: Record<string, AnyHook> = {};
  const owners = new Map<string, string>();
  for (const { name: owner, hooks: own = {} } of [{ name: "the kernel", hooks: kernelHooks }, ...plugins]) {
    for (const [name, spec] of Object.entries(own)) {
      if (owners.has(name))
        throw new StartupError(`The hook ${name} is defined twice: by ${owners.get(name)} and by ${owner}`);
      owners.set(name, owner);
      hooks[name] = createHook(spec);
    }
  }
  for (const [name, spec] of switchedOff.flatMap((plugin) => Object.entries(plugin.hooks ?? {})))
    hooks[name] ??= createHook(spec);
  hooks["permission_allowed"] = oneResourceForm(hooks["permission_allowed_many"] as never) as never;
  return hooks as unknown as Hooks;
}

const isOrdered = (value: unknown): value is Ordered => isObject(value) && typeof value["run"] === "function";

/** Taps every hook function of a plugin. @throws StartupError for a hook that does not exist */
export function tapPlugin(tapping: Tapping): void {
  const { taps } = tapping;
  const answersMany = taps.some(([name]) => name === "permission_allowed_many");
  for (const [name, value] of taps) {
    // Of a plugin with both forms only the one for many resources is called.
    if (name === "permission_allowed" && answersMany) continue;
    tapFunction(tapping, name, value);
  }
}

function tapFunction({ hooks, plugin, hookWrappers }: Tapping, name: string, value: unknown): void {
  const tapped = name === "permission_allowed" ? "permission_allowed_many" : name;
  const hook = (hooks as unknown as Record<string, AnyHook | undefined>)[tapped];
  // The plugin that owns the hook may be switched off, or not installed.
  if (hook === undefined && plugin.optionalHooks?.includes(name)) return;
  if (hook === undefined) throw unknownHook(plugin.name, name, Object.keys(hooks));
  const { run, order, only = {} }: Ordered = isOrdered(value) ? value : { run: value as HookRun };
  if (typeof run !== "function") throw new StartupError(`Plugin ${plugin.name}: ${name} must be a function`);
  const bound: HookRun = (rowhouse, args) =>
    isCalledFor(only, args as LimitingArgs) ? run.call(plugin, rowhouse, args) : undefined;
  const policy = policies.get(hook) ?? { kind: "notify" };
  const options = { name: plugin.name, stage: order === undefined ? 0 : STAGES[order] };
  const tap = { ...policy, plugin: plugin.name, unguarded: plugin.unguarded === true, hook: name };
  const wrapped = [trackFinishedBodies, ...hookWrappers].reduce((inner, wrap) => wrap(inner, tap), bound);
  const fitted = name === "permission_allowed" ? perResource(wrapped) : wrapped;
  if (policy.kind === "poll") hook.tap(options, ADAPTERS.poll(fitted, plugin.name));
  else hook.tapAsync?.(options, ADAPTERS[policy.kind](fitted));
}

function isCalledFor({ actions, arguments: names, database }: OnlyFor, args: LimitingArgs): boolean {
  const { visit, request = visit?.request, action = "" } = args;
  if (actions?.includes(action) === false) return false;
  if (names?.some((name) => request?.query.has(name)) === false) return false;
  return database === undefined || visit?.names.database === database;
}
