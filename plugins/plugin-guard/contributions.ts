import {
  isObject,
  type Awaitable,
  type Page,
  type Reply,
  type Renderer,
  type RouteFor,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import type {
  FacetClass,
  FacetQuestion,
  FacetValue,
  MagicParameter,
  Metric,
  SuggestionQuestion,
  TokenHandler,
} from "rowhouse/plugin-api/contracts";
import { Real } from "rowhouse/plugin-api/engine";
import { PluginError } from "rowhouse/plugin-api/errors";
import {
  closeBody,
  isReply,
  isSendable,
  type TargetKind,
  type VerifyContext,
} from "rowhouse/plugin-api/http";
import { synchronous } from "rowhouse/plugin-api/kernel";
import { attributedPage, attributedReply } from "./attributed-streams.js";
import { checkedDescription } from "./checked-description.js";
import { checkedRenderer, checkedRoute } from "./checked-functions.js";
import { namedFailure, type Origin } from "./failure.js";
import { warnIfHidden } from "./hidden-routes.js";
import { pageMistake, routeMistake } from "./mistakes.js";
import { asPromise, inTime, resting, TookTooLong } from "./time-limit.js";
import { unknownPermissions } from "./unknown-permissions.js";

/** A contribution whose functions the kernel or a plugin calls later. Its errors then name the plugin. */
type Guard = (part: object, plugin: string, rowhouse: Rowhouse) => object;

function guardedRoute(part: object, plugin: string, rowhouse: Rowhouse): object {
  const route = part as RouteFor<TargetKind>;
  const mistake = routeMistake(rowhouse, route);
  if (mistake !== null) throw new TypeError(mistake);
  warnIfHidden(rowhouse, route, plugin);
  const origin = { rowhouse, plugin, what: `the view ${route.name ?? String(route.path)}` };
  const view = async (visit: Visit): Promise<unknown> =>
    inNameOf({ ...origin, limitMs: limitOf(visit) }, async () => {
      const made = await route.view(visit);
      if (isReply(made)) return attributedReply(sendable(made), origin);
      if (!isObject(made?.data))
        throw new TypeError("it answered neither a page nor a reply, as reply.text() makes one");
      const wrong = pageMistake(made);
      if (wrong !== null) throw new TypeError(wrong);
      return attributedPage(made, origin);
    });
  return withMembers(route, {
    ...checkedRoute(route, plugin, unknownPermissions(rowhouse, route, plugin)),
    ...guardedVerify(route, plugin, rowhouse),
    view,
  });
}

function guardedVerify(route: RouteFor<TargetKind>, plugin: string, rowhouse: Rowhouse): object {
  const { verify } = route;
  if (verify === undefined) return {};
  const what = `verify of the route ${route.name ?? String(route.path)}`;
  const limitMs = rowhouse.setting("view_time_limit_ms");
  return {
    verify: (context: VerifyContext<TargetKind>) =>
      inNameOf({ rowhouse, plugin, what, limitMs }, async () => verify.call(route, context)),
  };
}

function guardedRenderer(part: object, plugin: string, rowhouse: Rowhouse): object {
  const renderer = part as Renderer;
  const origin = { rowhouse, plugin, what: `the renderer ${renderer.extension}` };
  const render: Renderer["render"] = (page, visit) =>
    inNameOf({ ...origin, limitMs: limitOf(visit) }, async () => {
      const made = await renderer.render(page, visit);
      if (isReply(made)) return attributedReply(sendable(made), origin);
      throw new TypeError("it answered no reply, as reply.text() makes one");
    });
  const canRender = checkedCanRender(renderer, plugin, rowhouse);
  return withMembers(renderer, { ...checkedRenderer(renderer, plugin), render, canRender });
}

function guardedTokenHandler(part: object, plugin: string, rowhouse: Rowhouse): object {
  const handler = part as TokenHandler;
  const what = `the token handler ${handler.name}`;
  const work = { rowhouse, plugin, what, limitMs: rowhouse.setting("hook_time_limit_ms") };
  const verifyToken: TokenHandler["verifyToken"] = async (token) => {
    const actor = (await endedInTime(work, () => handler.verifyToken(token))) ?? null;
    if (actor === null || isObject(actor)) return actor;
    throw new PluginError(plugin, what, new TypeError("it answered no actor"));
  };
  return withMembers(handler, { verifyToken });
}

function guardedFacet(part: object, _plugin: string, rowhouse: Rowhouse): object {
  const facet = part as FacetClass;
  const limitMs = rowhouse.setting("hook_time_limit_ms");
  // The plugin that calls these functions names the facet in errors.
  return withMembers(facet, {
    values: resting(async (question: FacetQuestion) =>
      listOf(isFacetValue, await inTime(asPromise(facet.values(question)), limitMs)),
    ),
    suggest: resting(async (question: SuggestionQuestion) =>
      listOf(isText, await inTime(asPromise(facet.suggest(question)), limitMs)),
    ),
  });
}

function guardedMagicParameter(part: object, plugin: string, rowhouse: Rowhouse): object {
  const [prefix, resolve] = part as MagicParameter;
  const what = `the magic parameter ${prefix}`;
  const work = { rowhouse, plugin, what, limitMs: rowhouse.setting("hook_time_limit_ms") };
  const limited: MagicParameter[1] = async (key, context) => {
    const value: unknown = await endedInTime(work, () => resolve(key, context)).catch((error: unknown) => {
      // The parameter has no value then. By a RangeError the resolver means an unknown key.
      if (!(error instanceof RangeError || error instanceof PluginError))
        rowhouse.log.warn(new PluginError(plugin, what, error).message);
      throw error;
    });
    if (isBindable(value)) return value as string | number | null;
    throw new PluginError(plugin, what, new TypeError("it answered no value that a statement can have"));
  };
  return [prefix, limited];
}

/** True for values that a statement can have: more than the type allows, as plugins in JavaScript return them. */
const isBindable = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  ["string", "number", "bigint", "boolean"].includes(typeof value) ||
  value instanceof Uint8Array ||
  value instanceof Real;

/** The plugin that reads the metric names it in errors. */
function guardedMetric(part: object, _plugin: string, rowhouse: Rowhouse): object {
  const metric = part as Metric;
  const limitMs = rowhouse.setting("hook_time_limit_ms");
  const read = async (): Promise<unknown> => inTime(asPromise(metric.read()), limitMs);
  return withMembers(metric, { read });
}

/** The variables of a plugin for templates, with functions whose errors name it. Promises of them have a time limit. */
function guardedVariables(part: object, plugin: string, rowhouse: Rowhouse): object {
  const limitMs = rowhouse.setting("hook_time_limit_ms");
  const guarded = ([name, value]: readonly [string, unknown]): readonly [string, unknown] => {
    if (typeof value !== "function") return [name, value];
    const origin = { rowhouse, plugin, what: `the template function ${name}` };
    const apply = (call: (...args: unknown[]) => unknown, self: unknown, args: unknown[]): unknown => {
      try {
        const made = asPromise(Reflect.apply(call, self, args));
        return made instanceof Promise ? inNameOf({ ...origin, limitMs }, () => made) : made;
      } catch (error) {
        throw namedFailure(origin, error);
      }
    };
    // Not a new function: classes and functions with members stay what they are.
    return [name, new Proxy(value as () => unknown, { apply })];
  };
  return Object.fromEntries(Object.entries(part).map(guarded));
}

/**
 * Wraps contributions by the hook that returned them, so that later errors name the plugin and time limits are kept.
 *
 * @throws TypeError for a route with a mistake
 */
export const GUARDS: Readonly<Record<string, Guard>> = {
  register_routes: guardedRoute,
  register_output_renderer: guardedRenderer,
  register_token_handler: guardedTokenHandler,
  register_facet_classes: guardedFacet,
  register_magic_parameters: guardedMagicParameter,
  register_metrics: guardedMetric,
  intercept_request: (part, plugin, rowhouse) =>
    attributedReply(part as Reply, { rowhouse, plugin, what: "intercept_request" }),
  before_view: (part, plugin, rowhouse) =>
    attributedReply(part as Reply, { rowhouse, plugin, what: "before_view" }),
  extra_template_vars: guardedVariables,
  describe_api: (part, plugin, rowhouse) => withMembers(part, checkedDescription(part, plugin, rowhouse)),
};

const isText = (value: unknown): value is string => typeof value === "string";

const isFacetValue = (value: unknown): value is FacetValue => {
  if (!isObject(value) || typeof value["count"] !== "number") return false;
  const argument = value["argument"];
  return Array.isArray(argument) && argument.length === 2 && argument.every(isText);
};

/** @throws TypeError for a result of another form */
function listOf<T>(is: (value: unknown) => value is T, answer: unknown): readonly T[] {
  if (Array.isArray(answer) && answer.every(is)) return answer;
  throw new TypeError("it answered no list of values with count and argument, or of names of columns");
}

/** Whether a renderer fits a page; if it fails to say so, it does not, and the failure is logged. */
function checkedCanRender(renderer: Renderer, plugin: string, rowhouse: Rowhouse): (page: Page) => boolean {
  return (page) => {
    try {
      return synchronous(renderer.canRender?.(page), "it") === true;
    } catch (error) {
      const { message } = new PluginError(plugin, `canRender of ${renderer.extension}`, error);
      rowhouse.log.error(message, error);
      return false;
    }
  };
}

/** The object with some members replaced. Others belong to the object itself: its class may have private members. */
const withMembers = (part: object, members: object): object =>
  new Proxy(members, {
    has: (own, key) => key in own || key in part,
    get(own, key) {
      if (Object.hasOwn(own, key)) return Reflect.get(own, key) as unknown;
      const member: unknown = Reflect.get(part, key);
      return typeof member === "function" ? member.bind(part) : member;
    },
  });

/** @throws TypeError for a reply that HTTP cannot send; its body is closed */
function sendable(made: Reply): Reply {
  if (isSendable(made)) return made;
  closeBody(made.body);
  throw new TypeError("it answered a status below 200 or headers that HTTP does not allow");
}

interface Work extends Origin {
  readonly limitMs: number;
}

/** Requests with a body have no limit: sending and processing the body may take long. */
const limitOf = ({ request, rowhouse }: Visit): number =>
  request.method === "GET" ? rowhouse.setting("view_time_limit_ms") : 0;

/** @throws PluginError if the function fails with another error than a `RowhouseError`, or exceeds the time limit */
async function inNameOf<T>({ limitMs, ...origin }: Work, work: () => Promise<T>): Promise<T> {
  const working = work();
  try {
    return (await inTime(working, limitMs)) as T;
  } catch (error) {
    if (error instanceof TookTooLong) working.then(closeLateReply).catch(() => undefined);
    throw namedFailure(origin, error);
  }
}

/**
 * What the function returns. Its errors are left as they are, because its caller knows what they mean: an unknown key, or
 * a refused token.
 *
 * @throws PluginError if it exceeds the time limit
 */
async function endedInTime<T>({ plugin, what, limitMs }: Work, work: () => Awaitable<T>): Promise<T> {
  try {
    return (await inTime(asPromise(work()), limitMs)) as T;
  } catch (error) {
    throw error instanceof TookTooLong ? new PluginError(plugin, what, error) : error;
  }
}

/** Closes a reply or page that arrives after the time limit. */
function closeLateReply(made: unknown): void {
  if (isReply(made)) return closeBody(made.body);
  const { stream } = made as Partial<Page>;
  if (stream !== undefined) closeBody(stream.batches);
}
