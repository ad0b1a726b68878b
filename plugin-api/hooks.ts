import type { Express, RequestHandler } from "express";
import type { AsyncSeriesBailHook, AsyncSeriesHook, AsyncSeriesWaterfallHook, SyncHook } from "tapable";
import type { Expected } from "./hook-results.js";
import type { Database, DatabaseLocation } from "./database.js";
import type {
  Actor,
  Opinion,
  OpinionAnswer,
  Permission,
  PermissionCheck,
  PermissionChecks,
} from "./permissions.js";
import type { Reply, Request } from "./request.js";
import type { Renderer, Route, Target, Visit } from "./route.js";
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

/** The value or a promise of it. */
export type Awaitable<T> = T | Promise<T>;
/** No result. `void` allows functions without a return statement. */
export type NoOpinion = null | undefined | void;
/** The arguments of a hook without arguments. */
export type Nothing = Readonly<Record<never, never>>;

/** How the results are combined: see `Notify`, `First`, `Collect`, `Transform` and `Poll`. */
export type HookKind = "notify" | "first" | "collect" | "transform" | "poll";

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

/** The kinds of the hooks of a table by name. */
export type Kinds<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly kind: infer Kind } ? Kind : never;
};

/** The hooks that the kernel fires, in the order of the start of a server and then of a request. */
export interface KernelHooks {
  /** At start, before `startup`: permissions of a plugin. Two different permissions with one name stop the start. */
  register_permissions: Collect<Nothing, Permission>;
  /** For each database: an engine returns a database for the locations that it can open. */
  open_database: First<{ readonly location: DatabaseLocation }, Database>;
  /** At start: routes of a plugin. The routes of the first plugin are tried first. */
  register_routes: Collect<Nothing, Route>;
  /** At start: output formats. The first format of an extension is used. */
  register_output_renderer: Collect<Nothing, Renderer>;
  /** At start, after all registrations. Throw `StartupError` to stop the start with a message. */
  startup: Notify<Nothing>;
  /** At start of an HTTP server: the Express application, for middleware. */
  prepare_app: Notify<{ readonly app: Express }>;
  /** At start of an HTTP server: Express middleware around all requests. The last one registered is outermost. */
  http_wrapper: Collect<Nothing, RequestHandler>;

  /** Each request: the actor. The first result is used. If a plugin fails, the request fails. */
  actor_from_request: First<{ readonly request: Request }, Actor>;
  /** Each request, before routing: a reply that ends the request (CSRF, rate limits). */
  intercept_request: First<{ readonly request: Request; readonly actor: Actor | null }, Reply>;
  /** Each path with a resource: the table, view or canned query of this name. `key` is the row path as sent. */
  locate_resource: First<
    {
      readonly database: Database;
      readonly name: string;
      readonly key: string | null;
      readonly actor: Actor | null;
    },
    Target
  >;
  /**
   * Each permission check of one resource. No result is no opinion; one `false` overrides any number of `true`.
   * Plugins tap this hook or `permission_allowed_many`: both are called for every check.
   */
  permission_allowed: Poll<PermissionCheck, Opinion>;
  /**
   * Each permission check of one or more resources; opinions in the order of `resources`. Of a plugin with both hooks
   * only this one is called.
   */
  permission_allowed_many: Poll<PermissionChecks, readonly (Opinion | NoOpinion)[]>;
  /** After the permission checks, before the view: a reply that replaces it (304 Not Modified). */
  before_view: First<{ readonly visit: Visit }, Reply>;
  /** A permission was denied: the reply. `order: "last"` is for plugins that answer everything. */
  forbidden: First<
    { readonly request: Request; readonly actor: Actor | null; readonly message: string },
    Reply
  >;
  /** Any other error, 404 included: the reply. `order: "last"` is for plugins that answer everything. */
  handle_exception: First<
    { readonly request: Request; readonly actor: Actor | null; readonly error: Error },
    Reply
  >;
  /** Each reply before it is sent: cookies, CORS, caching. `visit` is null if no view was reached. */
  finish_reply: Transform<
    { readonly request: Request; readonly actor: Actor | null; readonly visit: Visit | null },
    Reply
  >;

  /** When the server closes, before its databases. */
  shutdown: Notify<Nothing>;
}

/** The kinds of the kernel's hooks at run time. `satisfies` makes a missing entry a compile error. */
export const kernelHooks = {
  register_permissions: "collect",
  open_database: "first",
  register_routes: "collect",
  register_output_renderer: "collect",
  startup: "notify",
  prepare_app: "notify",
  http_wrapper: "collect",
  actor_from_request: "first",
  intercept_request: "first",
  locate_resource: "first",
  permission_allowed: "poll",
  permission_allowed_many: "poll",
  before_view: "first",
  forbidden: "first",
  handle_exception: "first",
  finish_reply: "transform",
  shutdown: "notify",
} as const satisfies Kinds<KernelHooks>;

/** All hooks. Bundled plugins add theirs in `contracts/`, other plugins by declaration merging. */
export interface HookTable extends KernelHooks {}

type Answer<H> =
  H extends Collect<infer _Args, infer Item>
    ? readonly Item[] | Item | NoOpinion
    : H extends First<infer _Args, infer One>
      ? One | NoOpinion
      : H extends Transform<infer _Args, infer Value>
        ? Value | NoOpinion
        : H extends Poll<infer _Args, infer One>
          ? One | NoOpinion
          : void;

type Given<H> =
  H extends Transform<infer Args, infer Value>
    ? Args & { readonly value: Value }
    : H extends { readonly args: infer Args }
      ? Args
      : never;

/** A hook function. Its arguments are the service object and one object of named arguments. */
export type HookFunction<H> = (rowhouse: Rowhouse, args: Given<H>) => Awaitable<Answer<H>>;

/**
 * A hook function that runs before (`early`) or after (`late`) those of all other plugins. Functions with `last` run
 * after those with `late`.
 */
export interface OrderedHook<H> {
  readonly order: "early" | "late" | "last";
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

/** The tapable object of a hook, for plugins that fire it or tap it in `apply()`. */
export type TapableHook<H> =
  H extends Collect<infer Args, infer Item>
    ? AsyncSeriesWaterfallHook<[Item[], Rowhouse, Args]>
    : H extends First<infer Args, infer One>
      ? AsyncSeriesBailHook<[Rowhouse, Args], One | undefined>
      : H extends Transform<infer Args, infer Value>
        ? AsyncSeriesWaterfallHook<[Value, Rowhouse, Args]>
        : H extends Notify<infer Args>
          ? AsyncSeriesHook<[Rowhouse, Args]>
          : H extends Poll<infer Args, infer One>
            ? SyncHook<[ReceiveAnswer<One>, Rowhouse, Args]>
            : never;

/** The tapable objects of all hooks by name. */
export type Hooks = { readonly [Name in keyof HookTable]: TapableHook<HookTable[Name]> };

export type { OpinionAnswer };
