import { Forbidden, MethodNotAllowed, reply } from "rowhouse/plugin-api";
import type { Reply, Route, Visit } from "rowhouse/plugin-api";
import type { OneTimeLink } from "./one-time-link.js";

/** Where the one-time link leads. */
export const AUTH_TOKEN_PATH = "/-/auth-token";

/** Signs root in; `link` is null on a server that was not asked to. */
export const authTokenRoute = (link: OneTimeLink | null): Route => ({
  name: "auth-token",
  path: AUTH_TOKEN_PATH,
  target: "instance",
  view: (visit) => signRootIn(visit, link),
});

async function signRootIn({ rowhouse, request, actor }: Visit, link: OneTimeLink | null): Promise<Reply> {
  // Looking ahead must not use the link up.
  if (request.method !== "GET") throw new MethodNotAllowed(["GET"]);
  if (request.headers["sec-purpose"]?.startsWith("prefetch") === true) {
    throw new Forbidden("This link signs in and can't be fetched ahead");
  }
  const home = rowhouse.urls.instance();
  if (actor?.id === "root" && !actor["token"]) return reply.redirect(home);
  const outcome = link?.try(request.query.get("token") ?? "") ?? "wrong";
  if (outcome === "wrong") throw new Forbidden("Invalid token");
  if (outcome === "used") throw new Forbidden("Root token has already been used");
  const root = { id: "root" };
  await rowhouse.serviceIfAny("events")?.track({ name: "login", actor: root, created: new Date() });
  return reply.redirect(home, 302, {
    "set-cookie": rowhouse.service("sessions").signIn(request, root),
    "cache-control": "no-store",
  });
}
