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

/** Everyone is told, one after the other; nobody answers. */
export interface Notify<Args> {
  readonly kind: "notify";
  readonly args: Args;
}

/** The first plugin with an answer settles it. */
export interface First<Args, Answer> {
  readonly kind: "first";
  readonly args: Args;
  readonly answer: Answer;
}

/** Everyone's answers, in one list. */
export interface Collect<Args, Item> {
  readonly kind: "collect";
  readonly args: Args;
  readonly answer: Item;
}

/** Each plugin may replace the value. */
export interface Transform<Args, Value> {
  readonly kind: "transform";
  readonly args: Args;
  readonly answer: Value;
}

/** Everyone is asked at once and each answer is kept with its author's name; nobody can hide another's. */
export interface Poll<Args, Answer> {
  readonly kind: "poll";
  readonly args: Args;
  readonly answer: Answer;
}

/** The value, or a promise of it. */
export type Awaitable<T> = T | Promise<T>;
// `void` so that a function which simply ends has no opinion.
export type NoOpinion = null | undefined | void;
/** The arguments of a hook that tells nothing but that it fires. */
export type Nothing = Readonly<Record<never, never>>;

/** How answers come together: see `Notify`, `First`, `Collect`, `Transform` and `Ask`. */
export type HookKind = "notify" | "first" | "collect" | "transform" | "poll";

/** What is done about a plugin that throws, takes longer than `hook_time_limit_ms` or answers nonsense. */
export interface HookPolicy {
  /**
   * `refuse`, the default: whatever it was asked for fails with a `PluginError`. `skip`: it is logged and counts
   * as no answer, for what people can do without; one that took too long is left alone for a minute.
   */
  readonly failing?: "refuse" | "skip";
  /** Of a list, what each item should be. Anything else is nonsense. */
  readonly expects?: Expected;
  /** Fires while the server starts, where there is more to do than in a request: twelve times the limit. */
  readonly atStart?: true;
  /** The bundled answers come after all others, so that anybody may answer first. */
  readonly bundledLast?: true;
  /**
   * Plugins tap the hook to refuse or to hide something. Without its owner their rule would not be enforced, so the
   * server refuses to start while the owner is switched off and a plugin taps the hook.
   */
  readonly enforces?: true;
  /** `false`, `0` and empty text are no answer, as nothing is. */
  readonly ignoreFalsy?: true;
}

/** A hook as its owner declares it: its kind, or more. */
export type HookSpec = HookKind | (HookPolicy & { readonly kind: HookKind });

/** The run-time half of a hook table: name to kind. */
export type Kinds<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends { readonly kind: infer Kind } ? Kind : never;
};

/** The hooks the kernel itself fires. Read top to bottom: it is the life of a server, then of a request. */
export interface KernelHooks {
  /** At start, before `startup`: the permissions a plugin brings. Two different ones of one name stop the start. */
  register_permissions: Collect<Nothing, Permission>;
  /** For each database to serve: an engine answers for the locations it can open. */
  open_database: First<{ readonly location: DatabaseLocation }, Database>;
  /** At start: the paths a plugin serves. Third-party routes are tried before the bundled ones. */
  register_routes: Collect<Nothing, Route>;
  /** At start: output formats; the extension is part of the URL. The last one of a name wins. */
  register_output_renderer: Collect<Nothing, Renderer>;
  /** Once, when everything is registered. Throw `StartupError` to stop the start with a message. */
  startup: Notify<Nothing>;
  /** Once, when a server is wanted: the Express application, for middleware. */
  prepare_app: Notify<{ readonly app: Express }>;
  /** Express-style middleware around everything, the last registered outermost. */
  http_wrapper: Collect<Nothing, RequestHandler>;

  /** Each request: who is asking? The first actor wins; a failing plugin refuses the request. */
  actor_from_request: First<{ readonly request: Request }, Actor>;
  /** Each request, before routing: may answer in its place (CSRF, rate limits). */
  intercept_request: First<{ readonly request: Request; readonly actor: Actor | null }, Reply>;
  /** What a name in a path stands for: a table, a view, a canned query. `key` is the raw text of a row path. */
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
   * Each permission question, one resource at a time. No answer is no opinion; one `false` beats any number of `true`.
   * A plugin taps this hook or `permission_allowed_many`; both forms are asked every question.
   */
  permission_allowed: Poll<PermissionCheck, Opinion>;
  /**
   * Each permission question, for one or more resources at once; answers in the order of `resources`. A plugin with
   * both forms is asked in this one only.
   */
  permission_allowed_many: Poll<PermissionChecks, readonly (Opinion | NoOpinion)[]>;
  /** After permission, before the view runs: may answer in its place (304 Not Modified). */
  before_view: First<{ readonly visit: Visit }, Reply>;
  /** A permission was refused. The bundled answer comes last. */
  forbidden: First<
    { readonly request: Request; readonly actor: Actor | null; readonly message: string },
    Reply
  >;
  /** Anything else was thrown, 404 included. The bundled answer comes last. */
  handle_exception: First<
    { readonly request: Request; readonly actor: Actor | null; readonly error: Error },
    Reply
  >;
  /** Every reply on its way out: cookies, CORS, caching. `visit` is absent when no view was reached. */
  finish_reply: Transform<
    { readonly request: Request; readonly actor: Actor | null; readonly visit: Visit | null },
    Reply
  >;

  /** Once, while the server closes, before the databases do. */
  shutdown: Notify<Nothing>;
}

/** The same table at run time. `satisfies` makes forgetting an entry a compile error. */
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

/** Every hook. Bundled plugins add theirs in `contracts/`, third parties by declaration merging. */
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

/** What a plugin author writes: always the service first, then one object of named arguments. */
export type HookFunction<H> = (rowhouse: Rowhouse, args: Given<H>) => Awaitable<Answer<H>>;

/** The long form, for the rare plugin that must run before or after the others. */
export interface OrderedHook<H> {
  readonly order: "early" | "late";
  readonly run: HookFunction<H>;
}

/** What a plugin may define: any hook by name, as a function or with its order. */
export type HookFunctions = Taps & { readonly [Name in keyof OtherHookNames]?: Taps[OtherHookNames[Name]] };

type Taps = {
  readonly [Name in keyof HookTable]?: HookFunction<HookTable[Name]> | OrderedHook<HookTable[Name]>;
};

/** What some hooks are called elsewhere, which authors who come from there may go on writing. */
export const otherHookNames = {
  asgi_wrapper: "http_wrapper",
  prepare_jinja2_environment: "prepare_template_environment",
} as const;

/** Each such name with the one the hook is listed under. */
export type OtherHookNames = typeof otherHookNames;

/** Takes down one plugin's answer to an `ask` hook; the answer may be a promise. */
export type ReceiveAnswer<Answer> = (plugin: string, answer: Awaitable<Answer | NoOpinion>) => void;

/** The tapable object behind a hook, for `apply()` and for whoever fires it. */
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

/** The tapable object of each hook by name. */
export type Hooks = { readonly [Name in keyof HookTable]: TapableHook<HookTable[Name]> };

export type { OpinionAnswer };
