import {
  API_VERSION,
  kernelHooks,
  kernelPolicies,
  StartupError,
  type HookKind,
  type HookPolicy,
  type Hooks,
  type HookSpec,
  type PermissionChecks,
  type Plugin,
  type Rowhouse,
  type TakeAnswer,
} from "rowhouse/plugin-api";
import { AsyncSeriesBailHook, AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncHook } from "tapable";
import { guard, type Run } from "./guard.js";
import type { PluginInput } from "./options.js";

type Ordered = { readonly order: "early" | "late"; readonly run: Run };

interface AnyHook {
  tap(options: object, fn: unknown): void;
  tapAsync?(options: object, fn: unknown): void;
}

/** What each hook was declared as: tapable's own objects don't tell a list from a value. */
const policies = new WeakMap<AnyHook, HookPolicy & { readonly kind: HookKind }>();

const asArray = (answer: unknown): readonly unknown[] => (Array.isArray(answer) ? answer : [answer]);

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
const appended = (list: readonly unknown[]) => (answer: unknown) =>
  answer === null || answer === undefined ? list : [...list, ...asArray(answer)];

/** Per kind of hook: the tapable class, and how an author's function is fitted to it. */
const KINDS = {
  notify: {
    create: (): unknown => new AsyncSeriesHook<[Rowhouse, object]>(["rowhouse", "args"]),
    fit: (run: Run) => (rowhouse: Rowhouse, args: object, done: Done) =>
      settle(() => run(rowhouse, args), nothing, done),
  },
  first: {
    create: (): unknown => new AsyncSeriesBailHook<[Rowhouse, object], unknown>(["rowhouse", "args"]),
    // tapable stops at anything but undefined; null is no answer here.
    fit: (run: Run) => (rowhouse: Rowhouse, args: object, done: Done) =>
      settle(() => run(rowhouse, args), unlessNull, done),
  },
  collect: {
    create: (): unknown =>
      new AsyncSeriesWaterfallHook<[unknown[], Rowhouse, object]>(["list", "rowhouse", "args"]),
    fit: (run: Run) => (list: readonly unknown[], rowhouse: Rowhouse, args: object, done: Done) =>
      settle(() => run(rowhouse, args), appended(list), done),
  },
  transform: {
    create: (): unknown =>
      new AsyncSeriesWaterfallHook<[unknown, Rowhouse, object]>(["value", "rowhouse", "args"]),
    fit: (run: Run) => (value: unknown, rowhouse: Rowhouse, args: object, done: Done) =>
      settle(
        () => run(rowhouse, { ...args, value }),
        (answer) => answer ?? value,
        done,
      ),
  },
  ask: {
    create: (): unknown =>
      new SyncHook<[TakeAnswer<unknown>, Rowhouse, object]>(["take", "rowhouse", "args"]),
    fit: (run: Run, plugin: string) => (take: TakeAnswer<unknown>, rowhouse: Rowhouse, args: object) => {
      try {
        take(plugin, run(rowhouse, args));
      } catch (error) {
        // As a failed promise, so that the others are asked all the same.
        take(plugin, Promise.reject(error));
      }
    },
  },
} as const;

function create(spec: HookSpec): AnyHook {
  const policy = typeof spec === "string" ? { kind: spec } : spec;
  const hook = KINDS[policy.kind].create() as AnyHook;
  policies.set(hook, policy);
  return hook;
}

/** The kernel's hooks and those the plugins own. @throws StartupError when two plugins own one name */
export function createHooks(plugins: readonly Plugin[]): Hooks {
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
  return hooks as unknown as Hooks;
}

const BUNDLED_LATE: ReadonlySet<string> = new Set(["forbidden", "handle_exception"]);

/**
 * Third parties run before the bundled, `early` before and `late` after all others; the bundled answers to
 * errors come last of all, so that anybody may answer first.
 */
function stage(input: PluginInput, hook: string, order: "early" | "late" | null): number {
  if (order === "early") return -100;
  if (order === "late") return 300;
  if (!input.bundled) return 0;
  return BUNDLED_LATE.has(hook) ? 400 : 100;
}

const NOT_HOOKS: ReadonlySet<string> = new Set([
  "name",
  "version",
  "apiVersion",
  "hooks",
  "optionalHooks",
  "settings",
  "static",
  "templates",
  "apply",
]);

const isOrdered = (value: unknown): value is Ordered =>
  typeof value === "object" && value !== null && "run" in value && typeof value.run === "function";

/** Names of the hooks a plugin taps, sorted. */
export const tappedHooks = (plugin: Plugin): string[] =>
  Object.entries(plugin)
    .filter(([key, value]) => !NOT_HOOKS.has(key) && value !== undefined)
    .map(([key]) => key)
    .toSorted();

/** Taps every hook function of a plugin. @throws StartupError for a hook that does not exist, naming a near one */
export function tapPlugin(hooks: Hooks, input: PluginInput): void {
  const { plugin } = input;
  if (plugin.apiVersion !== undefined && plugin.apiVersion !== API_VERSION)
    throw new StartupError(
      `Plugin ${plugin.name} was made for plugin API version ${plugin.apiVersion}; this is version ${API_VERSION}`,
    );
  const functions = plugin as unknown as Readonly<Record<string, unknown>>;
  for (const name of tappedHooks(plugin)) tapFunction(hooks, input, name, functions[name]);
  // Who answers one question at a time is asked so for a list, too.
  const { permission_allowed: single } = functions;
  if (single !== undefined && plugin.permission_allowed_many === undefined)
    tapFunction(hooks, input, "permission_allowed_many", oneByOne(functionOf(single), plugin));
}

const functionOf = (value: unknown): unknown => (isOrdered(value) ? value.run : value);

const oneByOne =
  (single: unknown, plugin: Plugin): Run =>
  (rowhouse, args) => {
    const { resources, ...rest } = args as PermissionChecks;
    return resources.map((resource) => (single as Run).call(plugin, rowhouse, { ...rest, resource }));
  };

function tapFunction(hooks: Hooks, input: PluginInput, name: string, value: unknown): void {
  const { plugin } = input;
  const hook = (hooks as unknown as Record<string, AnyHook | undefined>)[name];
  // The owner may be switched off, or not installed.
  if (hook === undefined && (input.bundled || plugin.optionalHooks?.includes(name))) return;
  if (hook === undefined) throw new StartupError(`Plugin ${plugin.name} taps an unknown hook: ${name}`);
  const run = functionOf(value);
  if (typeof run !== "function") throw new StartupError(`Plugin ${plugin.name}: ${name} must be a function`);
  const bound: Run = (rowhouse, args) => (run as Run).call(plugin, rowhouse, args);
  const options = { name: plugin.name, stage: stage(input, name, isOrdered(value) ? value.order : null) };
  const policy = policies.get(hook) ?? { kind: "notify" };
  const guarded = guard(bound, { ...policy, plugin: plugin.name, bundled: input.bundled, hook: name });
  if (policy.kind === "ask") hook.tap(options, KINDS.ask.fit(guarded, plugin.name));
  else hook.tapAsync?.(options, KINDS[policy.kind].fit(guarded));
}
