import {
  isObject,
  type Awaitable,
  RowhouseError,
  type Page,
  type Reply,
  type Renderer,
  type Route,
  type RouteFor,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import type {
  FacetClass,
  FacetQuestion,
  FacetValue,
  MagicParameter,
  SuggestionQuestion,
  TokenHandler,
} from "rowhouse/plugin-api/contracts";
import { PluginError } from "rowhouse/plugin-api/errors";
import { closeBody, isReply, isSendable, type VerifyContext } from "rowhouse/plugin-api/http";
import { synchronous } from "rowhouse/plugin-api/kernel";
import { attributedPage, attributedReply } from "./attributed-streams.js";
import { checkedRenderer, checkedRoute } from "./checked-functions.js";
import { pageMistake } from "./page-mistakes.js";
import { routeMistake, unknownPermissions } from "./route-mistakes.js";
import { asPromise, inTime, TookTooLong } from "./time-limit.js";

const authors = new WeakMap<object, string>();

/** The installed plugin that returned this object or function from a hook; null for others. */
export const pluginOf = (contribution: object): string | null => authors.get(contribution) ?? null;

/**
 * Records the plugin of a contribution. Views, renderers, token handlers and magic parameters are wrapped so that their
 * errors name the plugin, and they keep a time limit.
 */
export function attribute(
  rowhouse: Rowhouse,
  part: unknown,
  { author, hook }: { readonly author: string; readonly hook: string },
): unknown {
  if (!isContribution(part)) return part;
  const attributed = WRAPPED_BY_HOOK[hook]?.(part, author, rowhouse) ?? part;
  authors.set(attributed, author);
  return attributed;
}

const isContribution = (value: unknown): value is object =>
  (typeof value === "object" && value !== null) || typeof value === "function";

/** Wraps contributions that the kernel calls later, by hook. */
const WRAPPED_BY_HOOK: Readonly<
  Record<string, (part: object, author: string, rowhouse: Rowhouse) => object>
> = {
  register_routes: (part, author, rowhouse) => {
    const route = part as Route;
    const mistake = routeMistake(rowhouse, route);
    if (mistake !== null) throw new TypeError(mistake);
    const what = `the view ${route.name ?? String(route.path)}`;
    const view = async (visit: Visit): Promise<unknown> =>
      inNameOf({ author, what, limitMs: limitOf(visit) }, async () => {
        const made = await route.view(visit as never);
        if (isReply(made)) return attributedReply(sendable(made), { author, what });
        if (!isObject(made?.data)) throw new TypeError("it answered neither a page nor a reply");
        const oddity = pageMistake(made);
        if (oddity !== null) throw new TypeError(oddity);
        return attributedPage(made, { author, what });
      });
    const { verify } = route as RouteFor<"table">;
    return standIn(route, {
      ...checkedRoute(route, author, unknownPermissions(rowhouse, route, author)),
      ...(verify !== undefined && {
        verify: (context: VerifyContext<"table">) =>
          inNameOf(
            {
              author,
              what: `verify of the route ${route.name}`,
              limitMs: rowhouse.setting("view_time_limit_ms"),
            },
            async () => verify.call(route, context),
          ),
      }),
      view,
    });
  },
  register_output_renderer: (part, author, rowhouse) => {
    const renderer = part as Renderer;
    const what = `the renderer ${renderer.extension}`;
    const render: Renderer["render"] = (page, visit) =>
      inNameOf({ author, what, limitMs: limitOf(visit) }, async () => {
        const made = await renderer.render(page, visit);
        if (isReply(made)) return attributedReply(sendable(made), { author, what });
        throw new TypeError("it answered no reply");
      });
    const canRender = checkedCanRender(renderer, author, rowhouse);
    return standIn(renderer, { ...checkedRenderer(renderer, author), render, canRender });
  },
  register_token_handler: (part, author, rowhouse) => {
    const handler = part as TokenHandler;
    const work = {
      author,
      what: `the token handler ${handler.name}`,
      limitMs: rowhouse.setting("hook_time_limit_ms"),
    };
    const verifyToken: TokenHandler["verifyToken"] = async (token) => {
      const actor = (await endedInTime(work, () => handler.verifyToken(token))) ?? null;
      if (actor === null || isObject(actor)) return actor;
      throw new PluginError(author, work.what, new TypeError("it answered no actor"));
    };
    return standIn(handler, { verifyToken });
  },
  register_facet_classes: (part, _author, rowhouse) => {
    const facet = part as FacetClass;
    const limitMs = rowhouse.setting("hook_time_limit_ms");
    // The plugin that calls these functions names the facet in errors.
    return standIn(facet, {
      values: async (question: FacetQuestion) =>
        listOf(isFacetValue, await inTime(asPromise(facet.values(question)), limitMs)),
      suggest: async (question: SuggestionQuestion) =>
        listOf(isText, await inTime(asPromise(facet.suggest(question)), limitMs)),
    });
  },
  intercept_request: (part, author) => attributedReply(part as Reply, { author, what: "intercept_request" }),
  before_view: (part, author) => attributedReply(part as Reply, { author, what: "before_view" }),
  register_magic_parameters: (part, author, rowhouse) => {
    const [prefix, resolve] = part as unknown as MagicParameter;
    const work = {
      author,
      what: `the magic parameter ${prefix}`,
      limitMs: rowhouse.setting("hook_time_limit_ms"),
    };
    const limited: MagicParameter[1] = (key, context) => endedInTime(work, () => resolve(key, context));
    return [prefix, limited];
  },
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
function checkedCanRender(renderer: Renderer, author: string, rowhouse: Rowhouse): (page: Page) => boolean {
  return (page) => {
    try {
      return synchronous(renderer.canRender?.(page), "it") === true;
    } catch (error) {
      const { message } = new PluginError(author, `canRender of ${renderer.extension}`, error);
      rowhouse.log.error(message, error);
      return false;
    }
  };
}

/** The object with some members replaced; other members are inherited. */
const standIn = (part: object, members: object): object =>
  Object.assign(Object.create(part) as object, members);

/** @throws TypeError for a reply that HTTP cannot send; its body is closed */
function sendable(made: Reply): Reply {
  if (isSendable(made)) return made;
  closeBody(made.body);
  throw new TypeError("it answered a status below 200 or headers that HTTP does not allow");
}

interface Work {
  readonly author: string;
  readonly what: string;
  readonly limitMs: number;
}

/** Requests with a body have no limit: sending and processing the body may take long. */
const limitOf = ({ request, rowhouse }: Visit): number =>
  request.method === "GET" ? rowhouse.setting("view_time_limit_ms") : 0;

/** @throws PluginError if the function fails with another error than a `RowhouseError`, or exceeds the time limit */
async function inNameOf<T>({ author, what, limitMs }: Work, work: () => Promise<T>): Promise<T> {
  const working = work();
  try {
    return (await inTime(working, limitMs)) as T;
  } catch (error) {
    if (error instanceof TookTooLong) working.then(closeLateReply).catch(() => undefined);
    throw error instanceof RowhouseError ? error : new PluginError(author, what, error);
  }
}

/**
 * What the function returns. Its errors are left as they are, because its caller knows what they mean: an unknown key, or
 * a refused token.
 *
 * @throws PluginError if it exceeds the time limit
 */
async function endedInTime<T>({ author, what, limitMs }: Work, work: () => Awaitable<T>): Promise<T> {
  try {
    return (await inTime(asPromise(work()), limitMs)) as T;
  } catch (error) {
    throw error instanceof TookTooLong ? new PluginError(author, what, error) : error;
  }
}

/** Closes a reply or page that arrives after the time limit. */
function closeLateReply(made: unknown): void {
  if (isReply(made)) return closeBody(made.body);
  const { stream } = made as Partial<Page>;
  if (stream !== undefined) closeBody(stream.batches);
}
