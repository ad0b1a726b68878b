import {
  Forbidden,
  jsonText,
  NotFound,
  reply,
  RowhouseError,
  type Actor,
  type Renderer,
  type Reply,
  type Request,
  type Rowhouse,
  type Visit,
} from "rowhouse/plugin-api";
import { describeError, logMessage, MethodNotAllowed } from "rowhouse/plugin-api/errors";
import { changedReply, isReply, nothingWanted } from "rowhouse/plugin-api/http";
import { authorizedTarget, locator, type Locate } from "./authorized-target.js";
import { closingBodies, trackBody } from "./open-bodies.js";
import type { AnyRoute, RouteMatch } from "./router.js";

/** What handling a request needs of the kernel beside the service object. */
export interface RequestContext {
  readonly rowhouse: Rowhouse;
  routesFor(path: string): RouteMatch[];
}

interface ResolvedRoute {
  readonly match: RouteMatch;
  readonly locate: Locate;
}

/** Answers one request, or a failure that has occurred. Never rejects: every error becomes a reply. */
export async function handleRequest(
  context: RequestContext,
  request: Request,
  knownActor?: Actor | null,
  failure?: { readonly error: unknown },
): Promise<Reply> {
  const { rowhouse } = context;
  const { hooks } = rowhouse;
  let actor: Actor | null = null;
  let visit: Visit | null = null;
  const answer = async (): Promise<Reply> => {
    if (failure !== undefined) throw failure.error;
    actor = knownActor ?? null;
    if (knownActor === undefined)
      actor = (await hooks.actor_from_request.promise(rowhouse, { request })) ?? null;
    const intercepted = await hooks.intercept_request.promise(rowhouse, { request, actor });
    if (intercepted !== undefined) return intercepted;
    if (request.method === "OPTIONS")
      return resolveRoute(context, request, actor).then(optionsReply, optionsReply);
    visit = await visitOf(rowhouse, request, actor, await resolveRoute(context, request, actor));
    return (await hooks.before_view.promise(rowhouse, { visit })) ?? view(rowhouse, visit);
  };
  const made = await answer().catch((error: unknown) => replyToError(rowhouse, request, actor, error));
  trackBody(request, made.body);
  const finish = async (): Promise<Reply> =>
    hooks.finish_reply.promise(changedReply(request, made), rowhouse, { request, actor, visit });
  const finished = await finish().catch((error: unknown) => replyToError(rowhouse, request, actor, error));
  return closingBodies(request, finished);
}

/**
 * The first route that matches path, method and kind of target. Routes with `requires` match by their path alone, since
 * nothing may be looked up before their permissions are checked.
 *
 * @throws NotFound or MethodNotAllowed
 */
async function resolveRoute(
  context: RequestContext,
  request: Request,
  actor: Actor | null,
): Promise<ResolvedRoute> {
  const matches = context.routesFor(request.path).filter(({ route }) => route.when?.(request) ?? true);
  const wanted = request.method === "HEAD" ? "GET" : request.method;
  const locate = locator(context.rowhouse, actor);
  const others = new Map<string, ResolvedRoute>();
  let missing: unknown;
  for (const match of matches.toSorted((one, two) => +isFor(two, wanted) - +isFor(one, wanted))) {
    const { target = "instance", requires, method = "GET" } = match.route;
    try {
      if (requires === undefined && (await locate(match.names)).kind !== target) continue;
      if (isFor(match, wanted)) return { match, locate };
      if (!others.has(method)) others.set(method, { match, locate });
    } catch (error) {
      missing ??= error;
    }
  }
  if (others.size === 0) throw missing ?? new NotFound("404");
  // The methods of a page are only for clients that may view it.
  const page = others.get("GET") ?? [...others.values()].find(({ match }) => !match.route.requires);
  if (page !== undefined) await authorizedTarget(context.rowhouse, actor, page.match, locate);
  const allowed = [...others.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  throw new MethodNotAllowed([...allowed, "OPTIONS"]);
}

const isFor = ({ route }: RouteMatch, method: string): boolean => (route.method ?? "GET") === method;
const optionsReply = (found: unknown): Reply =>
  reply.text("ok", 200, found instanceof MethodNotAllowed ? found.headers : {});

/** @throws Forbidden, NotFound */
async function visitOf(
  rowhouse: Rowhouse,
  request: Request,
  actor: Actor | null,
  { match, locate }: ResolvedRoute,
): Promise<Visit> {
  const { route, names, params, basePath } = match;
  const target = await authorizedTarget(rowhouse, actor, match, locate);
  const renderer = route.requires === undefined ? rendererFor(rowhouse, match, request) : undefined;
  const chain = route.permissions?.(target) ?? [];
  const visited = { rowhouse, request, actor, route, target, params, basePath, names };
  return {
    private: actor !== null && !(await rowhouse.permissions.allowed(null, chain)),
    format: renderer?.extension ?? "json",
    wants: renderer?.wants(request) ?? nothingWanted,
    ...visited,
  };
}

/** The renderer of the extension, else of `_format`, else of HTML. Unknown formats are left out. */
function rendererFor({ renderers }: Rowhouse, match: RouteMatch, request: Request): Renderer | undefined {
  const argument = match.takesFormat ? request.query.get("_format") : null;
  const formats = [match.format, argument, "html", "json"];
  return formats.map((format) => renderers.get(format ?? "")).find((renderer) => renderer !== undefined);
}

async function view(rowhouse: Rowhouse, visit: Visit): Promise<Reply> {
  const renderer = rowhouse.renderers.get(visit.format);
  const redirect = renderer?.redirect?.(visit) ?? null;
  if (redirect !== null) return redirect;
  const page = await (visit.route as AnyRoute).view(visit);
  if (isReply(page)) return page;
  if (page.stream !== undefined) trackBody(visit.request, page.stream.batches);
  return renderer?.render(page, visit) ?? reply.json(jsonText(page.data), page.status ?? 200);
}

/** The one place where an error becomes a reply. */
async function replyToError(
  rowhouse: Rowhouse,
  request: Request,
  actor: Actor | null,
  thrown: unknown,
): Promise<Reply> {
  const { hooks, log } = rowhouse;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (!(error instanceof RowhouseError) || error.status >= 500)
    log.error(`${request.method} ${request.path}: ${logMessage(error)}`, error, { request_id: request.id });
  try {
    const refusing = { request, actor, message: error.message };
    const refused = error instanceof Forbidden ? await hooks.forbidden.promise(rowhouse, refusing) : null;
    const made = refused ?? (await hooks.handle_exception.promise(null, rowhouse, { request, actor, error }));
    if (made !== null) return made;
  } catch (failure) {
    log.error("The reply to an error failed", failure, { request_id: request.id });
  }
  // No plugin answers: the reply is plain JSON.
  const { status, message, title, headers, errorId } = describeError(error);
  const document = { ok: false, error: message, status, title, error_id: errorId ?? undefined };
  return reply.json(jsonText(document), status, headers);
}
