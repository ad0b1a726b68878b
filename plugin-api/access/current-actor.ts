import type { Visit } from "../http/route.js";
import type { Actor } from "./permissions.js";

/**
 * The actor of a request as it would be found now: null if its token has expired or was revoked meanwhile. Checks that come
 * after a long upload need it.
 *
 * @example
 * const actor = await currentActor(visit);
 * if (actor?.id !== visit.actor?.id) throw new Forbidden("Permission denied");
 */
export async function currentActor({
  rowhouse,
  request,
  actor,
}: Pick<Visit, "rowhouse" | "request" | "actor">): Promise<Actor | null> {
  const { authorization, cookie } = request.headers;
  // The actor of a request without credentials was given by the plugin that made it.
  if (authorization === undefined && cookie === undefined) return actor;
  return (await rowhouse.hooks.actor_from_request.promise(rowhouse, { request })) ?? null;
}
