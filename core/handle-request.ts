import {
  closingBodies,
  errorIdOf,
  Forbidden,
  isPrivateError,
  isReply,
  jsonText,
  MethodNotAllowed,
  NotFound,
  nothingWanted,
  publicMessage,
  reply,
  RowhouseError,
  TableNotFound,
  trackBody,
  type Actor,
  type Renderer,
  type Reply,
  type Request,
  type Rowhouse,
  type Target,
  type Visit,
} from "rowhouse/plugin-api";
import type { RouteMatch } from "./router.js";

/** What a journey needs of the kernel beside what plugins see. */
export interface RequestContext {
  readonly rowhouse: Rowhouse;
  routesFor(path: string): RouteMatch[];
}

interface ResolvedRoute {
  readonly match: RouteMatch;
  readonly target: Target;
}

/** One request, start to finish. Whatever goes wrong on the way becomes a reply here. */
export async function handleRequest(
  station: RequestContext,
  request: Request,
  knownActor?: Actor | null,
): Promise<Reply> {
  const { rowhouse } = station;
  const { hooks } = rowhouse;
  let actor: Actor | null = null;
  let visit: Visit | null = null;
  const answer = async (): Promise<Reply> => {
    actor = knownActor ?? null;
    if (knownActor === undefined)
      actor = (await hooks.actor_from_request.promise(rowhouse, { request })) ?? null;
    const intercepted = await hooks.intercept_request.promise(rowhouse, { request, actor });
    if (intercepted !== undefined) return intercepted;
    if (request.method === "OPTIONS")
      return resolveRoute(station, request, actor).then(optionsReply, optionsReply);
    const arrival = await resolveRoute(station, request, actor);
    visit = await authorize(rowhouse, request, actor, arrival);
    return (await hooks.before_view.promise(rowhouse, { visit })) ?? view(rowhouse, visit);
  };
  const made = await answer().catch((error: unknown) => replyToError(rowhouse, request, actor, error));
  trackBody(request, made.body);
  const finished = await hooks.finish_reply
    .promise(made, rowhouse, { request, actor, visit })
    .catch((error: unknown) => replyToError(rowhouse, request, actor, error));
  return closingBodies(request, finished);
}

/** The route that fits path, method and what the names turn out to be. @throws NotFound, MethodNotAllowed */
async function resolveRoute(
  station: RequestContext,
  request: Request,
  actor: Actor | null,
): Promise<ResolvedRoute> {
  const matches = station.routesFor(request.path).filter(({ route }) => route.when?.(request) ?? true);
  const wanted = request.method === "HEAD" ? "GET" : request.method;
  const locate = locator(station.rowhouse, actor);
  const others = new Map<string, ResolvedRoute>();
  let missing: unknown;
  for (const match of matches.toSorted((one, two) => +isFor(two, wanted) - +isFor(one, wanted))) {
    try {
      const arrival = { match, target: await locate(match.names) };
      if (arrival.target.kind !== (match.route.target ?? "instance")) continue;
      if (isFor(match, wanted)) return arrival;
      others.set(match.route.method ?? "GET", arrival);
    } catch (error) {
      missing ??= error;
    }
  }
  if (others.size === 0) throw missing ?? new NotFound("404");
  const page = others.get("GET"); // what is to be seen there only for those who may see it
  if (page !== undefined) await authorize(station.rowhouse, request, actor, page);
  const allowed = [...others.keys()].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  throw new MethodNotAllowed([...allowed, "OPTIONS"]);
}

const isFor = ({ route }: RouteMatch, method: string): boolean => (route.method ?? "GET") === method;
const optionsReply = (found: unknown): Reply =>
  reply.text("ok", 200, found instanceof MethodNotAllowed ? found.headers : {});

/** Finds what names stand for, the same names only once. */
function locator(rowhouse: Rowhouse, actor: Actor | null): (names: RouteMatch["names"]) => Promise<Target> {
  const found = new Map<string, Promise<Target>>();
  const resource = async (databaseName: string, name: string, key: string | null): Promise<Target> => {
    const database = rowhouse.database(databaseName);
    const target = await rowhouse.hooks.locate_resource.promise(rowhouse, { database, name, key, actor });
    if (target === undefined) throw new TableNotFound(database.name, name);
    return target;
  };
  return async ({ database, resource: name, key = null }) => {
    if (database === undefined) return { kind: "instance" };
    if (name === undefined) return { kind: "database", database: rowhouse.database(database) };
    const id = JSON.stringify([database, name, key]);
    const target = found.get(id) ?? resource(database, name, key);
    found.set(id, target);
    return target;
  };
}

/** @throws Forbidden */
async function authorize(
  rowhouse: Rowhouse,
  request: Request,
  actor: Actor | null,
  { match, target }: ResolvedRoute,
): Promise<Visit> {
  const { route } = match;
  const chain = route.permissions?.(target as never) ?? [];
  await rowhouse.permissions.require(actor, chain, route.refusal);
  const isPrivate = actor !== null && !(await rowhouse.permissions.allowed(null, chain));
  const renderer = rendererFor(rowhouse, match, request);
  return {
    rowhouse,
    request,
    actor,
    route,
    target,
    params: match.params,
    private: isPrivate,
    format: renderer?.extension ?? "json",
    wants: renderer?.wants(request) ?? nothingWanted,
    basePath: match.basePath,
  };
}

/** By extension, else by `_format`, else the page for people; an unknown format is that page too. */
function rendererFor(rowhouse: Rowhouse, match: RouteMatch, request: Request): Renderer | undefined {
  const { renderers } = rowhouse;
  const asked = match.format ?? (match.takesFormat ? request.query.get("_format") : null);
  return renderers.get(asked ?? "html") ?? renderers.get("html") ?? renderers.get("json");
}

async function view(rowhouse: Rowhouse, visit: Visit): Promise<Reply> {
  const page = await visit.route.view(visit as never);
  if (isReply(page)) return page;
  if (page.stream !== undefined) trackBody(visit.request, page.stream.batches);
  const renderer = rowhouse.renderers.get(visit.format);
  return renderer?.render(page, visit) ?? reply.json(jsonText(page.data), page.status ?? 200);
}

/** The one place where an error becomes a reply. */
export async function replyToError(
  rowhouse: Rowhouse,
  request: Request,
  actor: Actor | null,
  thrown: unknown,
): Promise<Reply> {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const id = isPrivateError(error) ? ` (error id ${errorIdOf(error)})` : "";
  if (!(error instanceof RowhouseError) || error.status >= 500)
    rowhouse.log.error(`${request.method} ${request.path}: ${error.message}${id}`, error);
  try {
    const { hooks } = rowhouse;
    const refused =
      error instanceof Forbidden
        ? await hooks.forbidden.promise(rowhouse, { request, actor, message: error.message })
        : undefined;
    const made = refused ?? (await hooks.handle_exception.promise(rowhouse, { request, actor, error }));
    if (made !== undefined) return made;
  } catch (failure) {
    rowhouse.log.error("The reply to an error failed", failure);
  }
  return plainErrorReply(error);
}

/** What is left when no plugin turns errors into replies. */
function plainErrorReply(error: Error): Reply {
  const known = error instanceof RowhouseError ? error : null;
  const status = known?.status ?? 500;
  const id = isPrivateError(error) ? { error_id: errorIdOf(error) } : {};
  const document = { ok: false, error: publicMessage(error), status, title: known?.title ?? null, ...id };
  return reply.json(jsonText(document), status, known?.headers ?? {});
}
