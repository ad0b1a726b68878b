import type { ConfigScope } from "../contracts/plugin-config.js";
import type { Database, DatabaseLocation } from "../engine/database.js";
import type { Hooks } from "./hooks.js";
import type { Actor, Permissions } from "../access/permissions.js";
import type { Plugin } from "./plugin.js";
import type { Setting, SettingValue } from "./settings.js";
import type { Reply, Request } from "../http/request.js";
import type { NamesOf, Renderer, Route, RouteFor, TargetKind, TargetOf } from "../http/route.js";

/** The service object: the first argument of every hook function, through which plugins use the kernel. */
export interface Rowhouse {
  readonly version: string;
  readonly hooks: Hooks;
  readonly plugins: readonly LoadedPlugin[];
  readonly permissions: Permissions;
  readonly settings: ReadonlyMap<string, Setting & { readonly value: SettingValue; readonly given: boolean }>;
  readonly routes: readonly Route[];
  readonly renderers: ReadonlyMap<string, Renderer>;
  readonly databases: ReadonlyMap<string, Database>;
  readonly log: Log;
  /** The name of the plugin that returned this object from a hook; null for plugins that are `unguarded`. */
  pluginOf(contribution: object): string | null;
  /** Makes links of this site, which begin with `base_url`. */
  readonly urls: Urls;

  /** @throws DatabaseNotFound */
  database(name: string): Database;
  /**
   * Opens and serves a database. If the name is taken, it gets a suffix: `_2`, `_3`, ...
   *
   * @throws StartupError if no plugin can open it
   */
  addDatabase(location: DatabaseLocation): Promise<Database>;
  removeDatabase(name: string): Promise<void>;

  /**
   * Signs a JSON value. The result contains only `A-Z a-z 0-9 _ - .`
   *
   * @param namespace default `default`; signatures are not valid in other namespaces
   */
  sign(value: unknown, namespace?: string): string;
  /** The signed value. @throws BadSignature */
  unsign(signed: string, namespace?: string): unknown;

  /**
   * The value of a setting. `settings.get(name)` is for settings of plugins that may be absent.
   *
   * @throws Error if no loaded plugin declares it
   */
  setting<Name extends keyof Settings>(name: Name): Settings[Name];
  /** A start option (metadata, folders, flags); undefined if it was not given. */
  option<Name extends keyof Options>(name: Name): Options[Name] | undefined;
  /**
   * The configuration of a plugin with `$env` and `$file` resolved, from the most specific level that has one. Levels are
   * not merged. Null if no level has one.
   */
  pluginConfig(plugin: string, scope?: ConfigScope): Promise<unknown>;

  /** Provides a service. Call it in `setup`. */
  provide<Name extends keyof Services>(name: Name, service: Services[Name]): void;
  /** A service of a plugin, from `startup` on. @throws Error if no plugin provides it */
  service<Name extends keyof Services>(name: Name): Services[Name];
  /** A service, or null if no plugin provides it. */
  serviceIfAny<Name extends keyof Services>(name: Name): Services[Name] | null;

  /**
   * The target of a route for an actor, by the same permission checks and look-ups as a request. For views that act on
   * several targets.
   *
   * @example
   * const target = await rowhouse.authorizedTarget(insertRoute, { database: "library", resource: "books" }, actor);
   * @throws Forbidden, NotFound
   */
  authorizedTarget<Kind extends TargetKind>(
    route: RouteFor<Kind>,
    names: NamesOf<Kind>,
    actor: Actor | null,
  ): Promise<TargetOf<Kind>>;
  /** Sends a request inside the process. It is handled like an HTTP request. Never rejects for errors of the request. */
  fetch(path: string, options?: FetchOptions): Promise<Reply>;
  /** Answers a request from `makeRequest`. Never rejects. */
  answer(request: Request): Promise<Reply>;
}

/** Options of `rowhouse.fetch`. Default: an anonymous GET request. */
export interface FetchOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The actor of the request; the hook `actor_from_request` is not called then. */
  readonly actor?: Actor | null;
}

/** A loaded plugin. */
export interface LoadedPlugin {
  readonly name: string;
  readonly version: string | null;
  /** The sorted names of the hooks that it taps. */
  readonly hooks: readonly string[];
  readonly plugin: Plugin;
}

/** The log of the server. */
export interface Log {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, cause?: unknown, fields?: LogFields): void;
  /** Writes the line of an answered request. Absent if no such lines are wanted, so that they need not be made. */
  request?(line: RequestLine): void;
}

/** Facts beside the message of a log line, as members of its JSON form. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** An answered request in the log. Facts that are not known are absent. */
export interface RequestLine {
  readonly request_id: string;
  /** The trace and the calling span, from the header `traceparent`. */
  readonly trace_id?: string | undefined;
  readonly span_id?: string | undefined;
  /** The id of the actor; null for anonymous clients. */
  readonly actor: string | null;
  readonly method: string;
  /** Without the query string, which can contain values of rows and secrets. */
  readonly path: string;
  /** The name of the route; null if none was reached. */
  readonly route: string | null;
  readonly status: number;
  /** From the arrival of the request until its reply was written. */
  readonly ms: number;
  /** Of the body, as sent. */
  readonly bytes: number;
  readonly sql_ms?: number | undefined;
  readonly cache?: string | undefined;
  /** True if the client left, or the body failed, before the end. */
  readonly incomplete?: true | undefined;
}

/**
 * Makes links of this site: each begins with `base_url`. Names are encoded; `format` is added as extension. Append what
 * comes below a page to its link, without another call of `path`.
 *
 * @example
 * `${rowhouse.urls.table("library", "two words")}/-/insert`; // "/library/two+words/-/insert"
 * rowhouse.urls.path("/-/permissions"); // "/-/permissions"
 */
export interface Urls {
  /** `path` with `base_url` in front. */
  path(path: string): string;
  instance(format?: string): string;
  database(database: string, format?: string): string;
  /** A table, view or canned query. */
  table(database: string, table: string, format?: string): string;
  row(database: string, table: string, path: string, format?: string): string;
  static(file: string): string;
  staticPlugin(plugin: string, file: string): string;
  /** `path` with the scheme and host of the request. */
  absolute(request: { readonly origin: string; readonly secure: boolean }, path: string): string;
}

/** Services by name. Bundled plugins declare theirs in `contracts/`, other plugins by declaration merging. */
export interface Services {}

/** The types of settings by name, which the kernel and plugins declare by `defineSettings`. */
export interface Settings {}

/** Start options by name, declared like services. */
export interface Options {}
