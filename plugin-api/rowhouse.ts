import type { ConfigScope } from "./contracts/plugin-config.js";
import type { Database, DatabaseLocation } from "./database.js";
import type { Hooks } from "./hooks.js";
import type { Actor, Permissions } from "./permissions.js";
import type { Plugin, Setting } from "./plugin.js";
import type { Reply, Request } from "./request.js";
import type { Renderer, Route } from "./route.js";

/** The service object: the first argument of every hook and the only way from a plugin to the kernel. */
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
  /** The plugin, not a bundled one, that gave this object or function as an answer; null for others. */
  pluginOf(contribution: object): string | null;
  /** Links of this site; every one begins with `base_url`. */
  readonly urls: Urls;

  /** @throws DatabaseNotFound */
  database(name: string): Database;
  /** Opens one more database and serves it. A name that is taken gets `_2`, `_3`, ... */
  addDatabase(location: DatabaseLocation): Promise<Database>;
  removeDatabase(name: string): Promise<void>;

  /** A value signed in one namespace is never accepted in another. The secret itself is never handed out. */
  sign(value: unknown, namespace?: string): string;
  /** @throws BadSignature */
  unsign(signed: string, namespace?: string): unknown;

  setting<Name extends keyof Settings>(name: Name): Settings[Name];
  /** What the person starting the server asked for, beside settings: metadata, folders, flags. */
  option<Name extends keyof Options>(name: Name): Options[Name] | undefined;
  /**
   * A plugin's own configuration, `$env` and `$file` resolved: the most specific level that has any, unmerged.
   * Null when there is none.
   */
  pluginConfig(plugin: string, scope?: ConfigScope): Promise<unknown>;

  /** Called in `apply()`. */
  provide<Name extends keyof Services>(name: Name, service: Services[Name]): void;
  /** Available from `startup` on. @throws Error when no plugin provides it */
  service<Name extends keyof Services>(name: Name): Services[Name];
  /** The service, or null where the plugin that provides it is switched off. */
  serviceIfAny<Name extends keyof Services>(name: Name): Services[Name] | null;

  /** Answers a request inside the process, through everything a request from outside goes through. */
  fetch(path: string, options?: FetchOptions): Promise<Reply>;
  /** Answers a request that came some other way (see `makeRequest`), whatever happens. */
  answer(request: Request): Promise<Reply>;
}

/** A request from inside; default a GET that says nothing of who asks. */
export interface FetchOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Asks as this actor, whatever the headers say. */
  readonly actor?: Actor | null;
}

/** A plugin as it was loaded. */
export interface LoadedPlugin {
  readonly name: string;
  readonly version: string | null;
  readonly bundled: boolean;
  /** Names of the hooks it taps, sorted. */
  readonly hooks: readonly string[];
  readonly plugin: Plugin;
}

/** Where messages for the person who serves go. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string, cause?: unknown): void;
}

/** Makes links of this site. Names are encoded; a `format` is added as extension. */
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
  /** With scheme and host, as the client of `request` sees them. */
  absolute(request: { readonly origin: string; readonly secure: boolean }, path: string): string;
}

/** Services by name. Bundled ones are declared in `contracts/`; third parties add theirs by declaration merging. */
export interface Services {}

/** What a setting can be. */
export type SettingValue = number | boolean | string;

/** Setting values by name, contributed the same way. These are the kernel's own. */
export interface Settings {
  /** Path prefix of every URL; begins and ends with `/`. */
  base_url: string;
  /** Absolute URLs say https. */
  force_https_urls: boolean;
  /** Bodies held in memory; 0 is no limit. */
  max_post_body_bytes: number;
  /** Milliseconds after a signal in which the server finishes what it is doing. */
  shutdown_grace_ms: number;
  /** How long the next byte of a request body may take; 0 is no limit. */
  body_idle_limit_ms: number;
  /** How long a whole body may take beside a second for every 1,000 bytes; 0 is no limit. */
  body_time_limit_ms: number;
}

/** Start options by name, contributed the same way. */
export interface Options {}
