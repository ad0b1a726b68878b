import type { Express, RequestHandler } from "express";
import { defineHooks, hook, type HooksOf } from "./define-hooks.js";
import {
  completeObject,
  functionOf,
  objectOf,
  objectWith,
  type Expected,
  type NoOpinion,
} from "./hook-results.js";
import type { Database, DatabaseLocation } from "../engine/database.js";
import { isObject } from "../engine/values.js";
import type { Nothing } from "./hooks.js";
import type { Actor, Opinion, Permission, PermissionCheck, PermissionChecks } from "../access/permissions.js";
import { isReply, type Reply, type Request } from "../http/request.js";
import { isSendable } from "../http/sendable.js";
import type { Renderer, Route, Target, Visit } from "../http/route.js";

/** Middleware of Express. */
export interface Middleware extends RequestHandler {}

const aReply: Expected = {
  what: "a reply, as reply.text() and its kin make it, with a status from 200 and headers that HTTP allows",
  is: (answer) => isReply(answer) && isSendable(answer),
};

function isRoute(answer: unknown): boolean {
  const { path, view } = Object(answer) as Readonly<Record<string, unknown>>;
  return (typeof path === "string" || path instanceof RegExp) && typeof view === "function";
}

const aRenderer = objectWith(
  "a renderer with extension (letters, digits and _) and the functions wants and render, and redirect and canRender if any",
  { extension: "string", wants: "function", render: "function" },
  { redirect: "function", canRender: "function" },
);

const aDatabase = completeObject("a database with the members of the interface Database", {
  name: "string",
  mutable: "boolean",
  memory: "boolean",
  internal: "boolean",
  capabilities: "object",
  dialect: "object",
  read: "function",
  readJson: "function",
  stream: "function",
  streamJson: "function",
  write: "function",
  analyse: "function",
  schema: "function",
  // Null before the first call of `schema`.
  lastSchema: "object",
  version: "function",
  describe: "function",
  health: "function",
  close: "function",
});

/** Kinds that plugins add may have any members. */
const aTarget: Expected = {
  what: "a target with its kind, of a table or row with database, table, source and schema",
  is: (answer) =>
    isObject(answer) &&
    typeof answer["kind"] === "string" &&
    (!["table", "row"].includes(answer["kind"]) ||
      ["database", "table", "source", "schema"].every((member) => isObject(answer[member]))),
};

/** A reply after it was written to its socket. */
export interface SentReply {
  readonly request: Request;
  readonly reply: Reply;
  /** The bytes of the body that were written. */
  readonly bytes: number;
  /** False if the client left, or the body failed, before the end. */
  readonly isComplete: boolean;
}

/** The hooks that the kernel fires, in the order of the start of a server and then of a request. */
export const kernelHooks = defineHooks({
  /** At start, before `startup`: permissions of a plugin. Two different permissions with one name stop the start. */
  register_permissions: hook.collect<Nothing, Permission>({
    atStart: true,
    affects: "nothing",
    expects: objectWith("a permission with name, abbr, description and default", {
      name: "string",
      default: "boolean",
    }),
  }),
  /** For each database: an engine returns a database for the locations that it can open. */
  open_database: hook.first<{ readonly location: DatabaseLocation }, Database>({
    atStart: true,
    expects: aDatabase,
  }),
  /** At start: routes of a plugin. The routes of the first plugin are tried first. */
  register_routes: hook.collect<Nothing, Route>({
    atStart: true,
    affects: "nothing",
    expects: { what: "a route with path and view", is: isRoute },
  }),
  /** At start: output formats. The first format of an extension is used. */
  register_output_renderer: hook.collect<Nothing, Renderer>({
    atStart: true,
    affects: "nothing",
    expects: {
      ...aRenderer,
      is: (answer) => aRenderer.is(answer) && /^\w+$/.test((answer as Renderer).extension),
    },
  }),
  /** At start, after all registrations. Throw `StartupError` to stop the start with a message. */
  startup: hook.notify<Nothing>({ atStart: true, affects: "nothing" }),
  /** At start of an HTTP server: the Express application, for middleware. */
  prepare_app: hook.notify<{ readonly app: Express }>({ atStart: true }),
  /** At start of an HTTP server: Express middleware around all requests. The last one registered is outermost. It has no time limit, because it may read a long body: it must answer or call `next`. */
  http_wrapper: hook.collect<Nothing, Middleware>({
    atStart: true,
    expects: functionOf("middleware: a function of request, response and next"),
  }),
  /** Each request, and again after a body that took longer than a second: the actor. The first result is used. If a plugin fails, the request fails. */
  actor_from_request: hook.first<{ readonly request: Request }, Actor>({
    expects: objectOf("an actor, an object"),
    ignoreFalsy: true,
    affects: "nothing",
  }),
  /** Each request, before routing: a reply that ends the request (CSRF, rate limits). */
  intercept_request: hook.first<{ readonly request: Request; readonly actor: Actor | null }, Reply>({
    expects: aReply,
    affects: "nothing",
  }),
  /**
   * Each path with a resource: the table, view or canned query of this name. `key` is the row path as sent. With
   * `forWrite`, the last known schema may be used: a write fails with `SchemaChanged` under any other.
   */
  locate_resource: hook.first<
    {
      readonly database: Database;
      readonly name: string;
      readonly key: string | null;
      readonly actor: Actor | null;
      readonly forWrite?: boolean;
    },
    Target
  >({ expects: aTarget }),
  /**
   * Each permission check of one resource. No result is no opinion; one `false` overrides any number of `true`.
   * The function of a plugin that also taps `permission_allowed_many` is not called.
   */
  permission_allowed: hook.poll<PermissionCheck, Opinion>({ affects: "permissions" }),
  /**
   * Each permission check of one or more resources; opinions in the order of `resources`. Of a plugin with both hooks
   * only this one is called.
   */
  permission_allowed_many: hook.poll<PermissionChecks, readonly (Opinion | NoOpinion)[]>({
    affects: "permissions",
  }),
  /** After the permission checks, before the view: a reply that replaces it (304 Not Modified). */
  before_view: hook.first<{ readonly visit: Visit }, Reply>({ expects: aReply }),
  /** A permission was denied: the reply. `order: "last"` is for plugins that answer everything. */
  forbidden: hook.first<
    { readonly request: Request; readonly actor: Actor | null; readonly message: string },
    Reply
  >({ expects: aReply, failing: "skip", affects: "nothing" }),
  /**
   * Any other error, 404 included: the reply. All functions are called, also those that only report errors; the first
   * reply counts. `order: "last"` is for plugins that answer everything: they return nothing if there is a `value`.
   */
  handle_exception: hook.firstOfAll<
    { readonly request: Request; readonly actor: Actor | null; readonly error: Error },
    Reply
  >({ expects: aReply, failing: "skip", affects: "nothing" }),
  /** Each reply before it is sent: cookies, CORS, caching. `visit` is null if no view was reached. */
  finish_reply: hook.transform<
    { readonly request: Request; readonly actor: Actor | null; readonly visit: Visit | null },
    Reply
  >({ expects: aReply }),
  /** After each reply of an HTTP server was written, or the client left: logs and metrics. */
  reply_sent: hook.notify<SentReply>({ failing: "skip", affects: "nothing" }),
  /**
   * When an HTTP server begins to end, while it still accepts connections: tell load balancers, and wait for them. The
   * wait is part of `shutdown_grace_ms`.
   */
  drain: hook.notify<Nothing>({ failing: "skip", affects: "nothing" }),
  /** When the server closes, before its databases. */
  shutdown: hook.notify<Nothing>({ failing: "skip", affects: "nothing" }),
});

declare module "./hooks.js" {
  interface HookTable extends HooksOf<typeof kernelHooks> {}
}
