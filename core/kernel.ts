import {
  StartupError,
  type Actor,
  type Database,
  type Plugin,
  type Renderer,
  type Reply,
  type Request,
  type Route,
  type Rowhouse,
  type Services,
  type Settings,
  type SettingValue,
} from "rowhouse/plugin-api";
import { Signer } from "rowhouse/plugin-api/access";
import { DatabaseNotFound, PluginError } from "rowhouse/plugin-api/errors";
import { requestInside, siteUrls } from "rowhouse/plugin-api/http";
import { freeName } from "rowhouse/plugin-api/names";
import {
  checkedDefinition,
  hookWrapperOf,
  setUpHooks,
  synchronous,
  tapsOf,
  type FetchOptions,
  type HookFunctions,
  type Hooks,
  type LoadedPlugin,
  type Options,
} from "rowhouse/plugin-api/kernel";
import type { ConfigScope, Authorizer } from "rowhouse/plugin-api/contracts";
import type { DatabaseLocation } from "rowhouse/plugin-api/engine";
import { authorizedTarget } from "./authorized-target.js";
import { denyAll, createPermissions } from "./permissions.js";
import { createHooks, tapPlugin } from "./hooks.js";
import { handleRequest } from "./handle-request.js";
import { checkEnforcement, checkServices } from "./requirements.js";
import { createRouter, type RouteMatch } from "./router.js";
import { declaredSettings, effectiveSettings, undeclaredSetting, type SettingEntry } from "./settings.js";

const silent: Rowhouse["log"] = { info() {}, warn() {}, error() {} };

/** The service object: hooks, registries and open databases. Tables, tokens and pages are plugins. */
export class Kernel implements Rowhouse {
  readonly version: string;
  readonly hooks: Hooks;
  readonly plugins: readonly LoadedPlugin[];
  readonly settings: ReadonlyMap<string, SettingEntry>;
  readonly urls: Rowhouse["urls"];
  readonly log: Rowhouse["log"];
  readonly databases = new Map<string, Database>();
  readonly renderers = new Map<string, Renderer>();
  readonly #options: KernelOptions;
  readonly #signer: Signer;
  readonly #services = new Map<string, unknown>();
  routes: readonly Route[] = [];
  #match: (path: string) => RouteMatch[] = () => [];
  #closing: Promise<void> | null = null;

  private constructor(options: KernelOptions) {
    const plugins = options.plugins.map(({ plugin }) => checkedDefinition(plugin));
    const twin = plugins.find(({ name }, index) => plugins.slice(0, index).some((one) => one.name === name));
    if (twin !== undefined) throw new StartupError(`Two plugins are named ${twin.name}`);
    this.#options = options;
    this.version = options.version ?? "0";
    this.log = options.log ?? silent;
    const switchedOff = options.switchedOff ?? [];
    this.hooks = createHooks(plugins, switchedOff);
    this.settings = effectiveSettings(declaredSettings(plugins), options.settings ?? {});
    this.urls = siteUrls(this.setting("base_url"), this.setting("force_https_urls"));
    this.#signer = new Signer(options.secrets);
    // The first plugin comes last: of several services of one name, its own is used.
    const setUp = new Map(plugins.toReversed().map((plugin) => [plugin, this.#setUp(plugin)]));
    const hookWrappers = plugins.toReversed().flatMap(hookWrapperOf);
    this.plugins = options.plugins.map(({ plugin, version = null }) => {
      const taps = tapsOf(checkedDefinition({ ...plugin, ...setUp.get(plugin) }));
      tapPlugin({ plugin, taps, hooks: this.hooks, hookWrappers });
      const names = taps.map(([hook]) => hook);
      return { name: plugin.name, version: version ?? plugin.version ?? null, hooks: names, plugin };
    });
    checkEnforcement(this.plugins, switchedOff);
  }

  /**
   * Opens everything in a fixed order: plugins, permissions, databases, routes, renderers, `startup`.
   *
   * @throws StartupError with a message for the operator; everything that was opened is closed again
   */
  static async open(options: KernelOptions): Promise<Kernel> {
    const kernel = new Kernel(options);
    try {
      await kernel.#open();
    } catch (error) {
      await kernel.close().catch(() => undefined);
      throw error;
    }
    return kernel;
  }

  async #open(): Promise<void> {
    const plugins = this.plugins.map(({ plugin }) => plugin);
    const switchedOff = this.#options.switchedOff ?? [];
    checkServices({ plugins, switchedOff, has: (service) => this.#services.has(service) });
    this.#authorizer().register(await this.hooks.register_permissions.promise([], this, {}));
    for (const location of this.#options.databases ?? []) await this.addDatabase(location);
    this.routes = await this.hooks.register_routes.promise([], this, {});
    this.#match = createRouter(this.routes, (extension) => this.renderers.has(extension));
    const renderers = await this.hooks.register_output_renderer.promise([], this, {});
    // The last one of a name wins, which is that of the first plugin.
    for (const renderer of renderers.toReversed()) this.renderers.set(renderer.extension, renderer);
    if (this.#options.dormant !== true) await this.hooks.startup.promise(this, {});
  }

  readonly #authorizer = (): Authorizer => this.serviceIfAny("authorizer") ?? denyAll;
  readonly permissions = createPermissions(this.#authorizer);

  #setUp(plugin: Plugin): HookFunctions | void {
    const name = plugin.setup === undefined ? "apply" : "setup";
    try {
      return setUpHooks(synchronous(plugin[name]?.(this), "it"));
    } catch (error) {
      throw error instanceof StartupError ? error : new PluginError(plugin.name, name, error);
    }
  }

  pluginOf(contribution: object): string | null {
    return this.serviceIfAny("pluginGuard")?.pluginOf(contribution) ?? null;
  }

  database(name: string): Database {
    const database = this.databases.get(name);
    if (database === undefined) throw new DatabaseNotFound(name);
    return database;
  }

  async addDatabase(location: DatabaseLocation): Promise<Database> {
    const name = freeName(location.name, this.databases);
    const database = await this.hooks.open_database.promise(this, { location: { ...location, name } });
    if (database === undefined) throw new StartupError(`No plugin can open ${location.uri}`);
    this.databases.set(name, database);
    return database;
  }

  async removeDatabase(name: string): Promise<void> {
    const database = this.database(name);
    this.databases.delete(name);
    await database.close();
  }

  sign(value: unknown, namespace = "default"): string {
    return this.#signer.sign(value, namespace);
  }
  unsign(signed: string, namespace = "default"): unknown {
    return this.#signer.unsign(signed, namespace);
  }

  setting<Name extends keyof Settings>(name: Name): Settings[Name] {
    const entry = this.settings.get(name);
    if (entry === undefined) throw undeclaredSetting(name, this.#options.switchedOff ?? []);
    return entry.value as Settings[Name];
  }
  option<Name extends keyof Options>(name: Name): Options[Name] | undefined {
    return this.#options.options?.[name];
  }

  async pluginConfig(plugin: string, scope: ConfigScope = {}): Promise<unknown> {
    return this.serviceIfAny("pluginConfig")?.of(plugin, scope) ?? null;
  }

  provide<Name extends keyof Services>(name: Name, service: Services[Name]): void {
    this.#services.set(name, service);
  }
  service<Name extends keyof Services>(name: Name): Services[Name] {
    if (!this.#services.has(name)) throw new Error(`No plugin provides the service ${name}`);
    return this.#services.get(name) as Services[Name];
  }
  serviceIfAny<Name extends keyof Services>(name: Name): Services[Name] | null {
    return (this.#services.get(name) as Services[Name] | undefined) ?? null;
  }

  /** Answers a request. Never rejects. */
  answer(request: Request, actor?: Actor | null): Promise<Reply> {
    return handleRequest({ rowhouse: this, routesFor: this.#match }, request, actor);
  }
  /** The reply to an error that occurred before the kernel received the request, or after its reply. Never rejects. */
  answerError(request: Request, error: unknown): Promise<Reply> {
    return handleRequest({ rowhouse: this, routesFor: this.#match }, request, null, { error });
  }
  authorizedTarget: Rowhouse["authorizedTarget"] = (route, names, actor) =>
    authorizedTarget(this, actor, { route: route as never, names: names as never }) as Promise<never>;

  fetch(path: string, options: FetchOptions = {}): Promise<Reply> {
    return this.answer(requestInside(this, path, options), options.actor);
  }

  /** Fires `shutdown`, then closes the databases, each after its queued writes. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    try {
      await this.hooks.shutdown.promise(this, {});
    } finally {
      await Promise.all([...this.databases.values()].map((database) => database.close()));
    }
  }
}

/** The options of `Kernel.open`. The kernel itself reads no environment variables, files or terminal. */
export interface KernelOptions {
  /** In the order in which their hook functions run. The first plugin answers first, and its services are used. */
  readonly plugins: readonly PluginInput[];
  /** Plugins that are not loaded. Other plugins may tap their hooks, which are never fired. */
  readonly switchedOff?: readonly Plugin[];
  readonly databases?: readonly DatabaseLocation[];
  /** Values by name, already of the right type. */
  readonly settings?: Readonly<Record<string, SettingValue>>;
  /** The first signs; signatures of all are accepted. */
  readonly secrets: readonly [string, ...string[]];
  readonly options?: Partial<Options>;
  readonly log?: Rowhouse["log"];
  readonly version?: string;
  /** Registers everything but does not fire `startup`: for commands that only read what plugins register. */
  readonly dormant?: boolean;
}

/** A plugin to load. */
export interface PluginInput {
  readonly plugin: Plugin;
  readonly version?: string | null;
}
