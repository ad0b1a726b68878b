import type { AsyncSeriesBailHook, AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncHook } from "tapable";
import type { Awaitable, Expected, NoOpinion } from "./hook-results.js";
import type { Rowhouse } from "./rowhouse.js";

/** A hook whose functions run one after the other and return nothing. */
export interface Notify<Args> {
  readonly kind: "notify";
  readonly args: Args;
}

/** A hook whose functions run one after the other until one returns a result. */
export interface First<Args, Answer> {
  readonly kind: "first";
  readonly args: Args;
  readonly answer: Answer;
}

/** A hook whose functions all run, one after the other. The first result counts; `value` is the result so far, or null. */
export interface FirstOfAll<Args, Answer> {
  readonly kind: "firstOfAll";
  readonly args: Args;
  readonly answer: Answer;
}

/** A hook whose results are joined into one list. A function may return one item or an array. */
export interface Collect<Args, Item> {
  readonly kind: "collect";
  readonly args: Args;
  readonly answer: Item;
}

/** A hook whose functions can replace a value one after the other. */
export interface Transform<Args, Value> {
  readonly kind: "transform";
  readonly args: Args;
  readonly answer: Value;
}

/** A hook whose functions all run. Each result is recorded with the name of its plugin. */
export interface Poll<Args, Answer> {
  readonly kind: "poll";
  readonly args: Args;
  readonly answer: Answer;
}

/** The arguments of a hook without arguments. */
export type Nothing = Readonly<Record<never, never>>;

/** How the results are combined: see `Notify`, `First`, `FirstOfAll`, `Collect`, `Transform` and `Poll`. */
export type HookKind = "notify" | "first" | "firstOfAll" | "collect" | "transform" | "poll";

/**
 * What the results of a hook change: replies in any format (`data`, the default), only HTML pages (`html`), only the
 * decisions of permission checks (`permissions`), or no page that shows data (`nothing`).
 */
export type Affects = "data" | "html" | "permissions" | "nothing";

/** How a hook handles functions that throw, exceed `hook_time_limit_ms` or return an invalid result. */
export interface HookPolicy {
  /**
   * `refuse` (default): the caller fails with a `PluginError`. `skip`: the failure is logged and the request continues
   * without a result; a function that exceeded the time limit is then not called for a minute.
   */
  readonly failing?: "refuse" | "skip";
  /** The valid results; for `collect` the valid items. */
  readonly expects?: Expected;
  /** Fired while the server starts: the time limit is twelve times as long. */
  readonly atStart?: true;
  /** What the results change in replies. A plugin that is not `deterministic` removes the entity tags of these. */
  readonly affects?: Affects;
  /**
   * Plugins tap this hook to deny or hide something. Without its owner these rules would have no effect, so the server
   * does not start if the owner is switched off and another plugin taps the hook.
   */
  readonly enforces?: true;
  /** `false`, `0` and empty text count as no result. */
  readonly ignoreFalsy?: true;
}

/** The declaration of a hook: its kind, or its kind and policy. */
export type HookSpec = HookKind | (HookPolicy & { readonly kind: HookKind });

/** All hooks: those that the kernel and plugins declare by `defineHooks`, which add theirs by declaration merging. */
export interface HookTable {}

type Answer<H> =
  H extends Collect<infer _Args, infer Item>
    ? readonly Item[] | Item | NoOpinion
    : H extends
          | First<infer _Args, infer One>
          | FirstOfAll<infer _Args, infer One>
          | Transform<infer _Args, infer One>
          | Poll<infer _Args, infer One>
      ? One | NoOpinion
      : void;

type Given<H> =
  H extends Transform<infer Args, infer Value>
    ? Args & { readonly value: Value }
    : H extends FirstOfAll<infer Args, infer One>
      ? Args & { readonly value: One | null }
      : H extends { readonly args: infer Args }
        ? Args
        : never;

/** A hook function. Its arguments are the service object and one object of named arguments. */
export type HookFunction<H> = (rowhouse: Rowhouse, args: Given<H>) => Awaitable<Answer<H>>;

/** The requests, or the permission checks, for which a hook function is called. */
export interface OnlyFor {
  /** Checks of one of these permissions, for hooks with the argument `action`. */
  readonly actions?: readonly string[];
  /** Requests with one of these arguments in the query string. */
  readonly arguments?: readonly string[];
  /** Visits of something in the database of this name. */
  readonly database?: string;
}

/** A hook function with its place among those of other plugins. */
export interface OrderedHook<H> {
  /** Before (`early`) or after (`late`) those of all other plugins. Functions with `last` run after those with `late`. */
  readonly order?: "early" | "late" | "last";
  /** The function is called only for these requests. Default: all. */
  readonly only?: OnlyFor;
  readonly run: HookFunction<H>;
}

/** The hook functions of a plugin by the name of the hook. */
export type HookFunctions = Taps & { readonly [Name in keyof OtherHookNames]?: Taps[OtherHookNames[Name]] };

type Taps = {
  readonly [Name in keyof HookTable]?: HookFunction<HookTable[Name]> | OrderedHook<HookTable[Name]>;
};

/** Alternative names of hooks, for plugins that are ported from other servers. */
export const otherHookNames = {
  asgi_wrapper: "http_wrapper",
  prepare_jinja2_environment: "prepare_template_environment",
} as const;

/** Alternative names and the names of their hooks. */
export type OtherHookNames = typeof otherHookNames;

/** Receives the result of one plugin from a `poll` hook. The result may be a promise. */
export type ReceiveAnswer<Answer> = (plugin: string, answer: Awaitable<Answer | NoOpinion>) => void;

/** The tapable object of a hook, for plugins that fire it or tap it in `setup`. */
export type TapableHook<H> =
  H extends Collect<infer Args, infer Item>
    ? AsyncSeriesWaterfallHook<[Item[], Rowhouse, Args]>
    : H extends First<infer Args, infer One>
      ? AsyncSeriesBailHook<[Rowhouse, Args], One | undefined>
      : H extends FirstOfAll<infer Args, infer One>
        ? AsyncSeriesWaterfallHook<[One | null, Rowhouse, Args]>
        : H extends Transform<infer Args, infer Value>
          ? AsyncSeriesWaterfallHook<[Value, Rowhouse, Args]>
          : H extends Notify<infer Args>
            ? AsyncSeriesHook<[Rowhouse, Args]>
            : H extends Poll<infer Args, infer One>
              ? SyncHook<[ReceiveAnswer<One>, Rowhouse, Args]>
              : never;

/** The tapable objects of all hooks by name. */
export type Hooks = { readonly [Name in keyof HookTable]: TapableHook<HookTable[Name]> };
