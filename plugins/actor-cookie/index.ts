import { definePlugin, type Actor, type Request, type Rowhouse } from "rowhouse/plugin-api";
import { BadSignature } from "rowhouse/plugin-api/errors";
import { cookie } from "rowhouse/plugin-api/http";
import { actorOfValue, actorValue } from "./actor-value.js";

const COOKIE = "rowhouse_actor";
const NAMESPACE = "actor";

/** The signed cookie `rowhouse_actor` of signed-in users, and the service that sets and clears it. */
export default definePlugin({
  name: "actor-cookie",
  deterministic: true,
  unguarded: true,
  provides: ["sessions"],
  setup: (rowhouse) =>
    rowhouse.provide("sessions", {
      signIn: (request, actor, { expireAfterSeconds } = {}) => {
        const expiresAt = expireAfterSeconds === undefined ? null : nowSeconds() + expireAfterSeconds;
        const value = rowhouse.sign(actorValue(actor, expiresAt), NAMESPACE);
        return cookie(COOKIE, value, { secure: isSecure(rowhouse, request) });
      },
      signOut: (request) =>
        cookie(COOKIE, "", {
          expires: new Date(0),
          maxAgeSeconds: 0,
          secure: isSecure(rowhouse, request),
        }),
    }),
  // A token in the request wins over the cookie.
  actor_from_request: {
    order: "late",
    run: (rowhouse, { request }) => actorFromCookie(rowhouse, request),
  },
  describe_api: async () => (await import("./openapi.js")).api,
});

function actorFromCookie(rowhouse: Rowhouse, request: Request): Actor | null {
  const value = request.cookies.get(COOKIE);
  if (value === undefined) return null;
  try {
    return actorOfValue(rowhouse.unsign(value, NAMESPACE), nowSeconds());
  } catch (error) {
    if (error instanceof BadSignature) return null;
    throw error;
  }
}

const isSecure = (rowhouse: Rowhouse, request: Request): boolean =>
  request.secure || rowhouse.setting("force_https_urls");

const nowSeconds = (): number => Math.floor(Date.now() / 1000);
