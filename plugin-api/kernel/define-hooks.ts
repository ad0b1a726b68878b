import type {
  Collect,
  First,
  FirstOfAll,
  HookKind,
  HookPolicy,
  HookSpec,
  Notify,
  Poll,
  Transform,
} from "./hooks.js";

/** The declaration of a hook, with the types of its arguments and results. */
export interface HookDefinition<Hook extends { readonly kind: HookKind }> extends HookPolicy {
  readonly kind: Hook["kind"];
  /** Exists only as a type. */
  readonly types?: Hook;
}

/**
 * Declares hooks, one function for each kind, with the types of the arguments and of one result.
 *
 * @example
 * hook.collect({ affects: "html", failing: "skip" }); // { affects: "html", failing: "skip", kind: "collect" }
 */
export const hook = {
  notify: <Args>(policy: HookPolicy = {}): HookDefinition<Notify<Args>> => ({ ...policy, kind: "notify" }),
  first: <Args, Answer>(policy: HookPolicy = {}): HookDefinition<First<Args, Answer>> => ({
    ...policy,
    kind: "first",
  }),
  firstOfAll: <Args, Answer>(policy: HookPolicy = {}): HookDefinition<FirstOfAll<Args, Answer>> => ({
    ...policy,
    kind: "firstOfAll",
  }),
  collect: <Args, Item>(policy: HookPolicy = {}): HookDefinition<Collect<Args, Item>> => ({
    ...policy,
    kind: "collect",
  }),
  transform: <Args, Value>(policy: HookPolicy = {}): HookDefinition<Transform<Args, Value>> => ({
    ...policy,
    kind: "transform",
  }),
  poll: <Args, Answer>(policy: HookPolicy = {}): HookDefinition<Poll<Args, Answer>> => ({
    ...policy,
    kind: "poll",
  }),
} as const;

/**
 * The hooks that a plugin owns, for its member `hooks`. In TypeScript their types come from the same statement: name the
 * types of arguments and results, `hook.collect<{ readonly day: string }, number>()`, and let `HookTable` extend
 * `HooksOf<typeof rainHooks>` by declaration merging. Then callers and other plugins are type-checked.
 *
 * @example
 * const rainHooks = defineHooks({ rain_forecast: hook.collect({ affects: "data" }) });
 * rainHooks.rain_forecast.kind; // "collect"
 */
export const defineHooks = <const Definitions extends Readonly<Record<string, HookSpec>>>(
  definitions: Definitions,
): Definitions => definitions;

/** The types of hooks that `defineHooks` declares, by name. */
export type HooksOf<Definitions> = {
  readonly [Name in keyof Definitions]: Definitions[Name] extends HookDefinition<infer Hook> ? Hook : never;
};
