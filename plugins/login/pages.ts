import {
  Forbidden,
  reply,
  csrfField,
  html,
  pageReply,
  actorName,
  type Reply,
  type Route,
  type Visit,
  type Rowhouse,
  type Actor,
  type Html,
} from "rowhouse/plugin-api";
import { isRoot } from "rowhouse/plugin-api/access";
import { MethodNotAllowed } from "rowhouse/plugin-api/errors";
import { tOf } from "./texts.js";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** The path of the one-time link. */
export const AUTH_TOKEN_PATH = "/-/auth-token";

/** Signs in as root. @param link null without `--root` */
export const authTokenRoute = (link: OneTimeLink | null): Route => ({
  name: "auth-token",
  path: AUTH_TOKEN_PATH,
  target: "instance",
  view: (visit) => signRootIn(visit, link),
});

async function signRootIn({ rowhouse, request, actor }: Visit, link: OneTimeLink | null): Promise<Reply> {
  // HEAD requests and prefetching must not use up the link.
  if (request.method !== "GET") throw new MethodNotAllowed(["GET"]);
  if (request.headers["sec-purpose"]?.startsWith("prefetch") === true) {
    throw new Forbidden("This link signs in and can't be fetched ahead");
  }
  const home = rowhouse.urls.instance();
  if (isRoot(actor) && !actor?.["token"]) return reply.redirect(home);
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

/** The secret of the link that signs in as root. It is valid once. */
export class OneTimeLink {
  readonly token = randomBytes(32).toString("hex");
  #isUsed = false;

  /** Checks a token: `right` only the first time. */
  try(token: string): "right" | "used" | "wrong" {
    if (!timingSafeEqual(digest(token), digest(this.token))) return "wrong";
    if (this.#isUsed) return "used";
    this.#isUsed = true;
    return "right";
  }
}

/** Digests have equal length, as comparison in constant time requires. */
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const AS_ROOT_PATH = "/login-as-root";

/** A page with a button that signs in as root, for demonstrations. Only with the setting `login_as_root`. */
export function asRootRoutes(rowhouse: Rowhouse): readonly Route[] {
  if (!rowhouse.setting("login_as_root")) return [];
  rowhouse.log.warn(`login_as_root is on: anyone can sign in as root at ${AS_ROOT_PATH}`);
  return [
    { name: "login-as-root", path: AS_ROOT_PATH, target: "instance", view: showButton },
    { name: "login-as-root-submit", method: "POST", path: AS_ROOT_PATH, target: "instance", view: signIn },
  ];
}

function showButton(visit: Visit): Promise<Reply> {
  const t = tOf(visit);
  return pageReply(visit, {
    template: "login_as_root.html",
    title: t("login.as_root"),
    context: { is_translated: true },
    content: html`
      <h1>${t("login.as_root")}</h1>
      <p>${t("login.demonstration")}</p>
      <form action="${visit.rowhouse.urls.path(AS_ROOT_PATH)}" method="post">
        ${csrfField(visit)}
        <p><button type="submit">${t("login.as_root")}</button></p>
      </form>
    `,
  });
}

async function signIn({ rowhouse, request }: Visit): Promise<Reply> {
  const root = { id: "root" };
  await rowhouse.serviceIfAny("events")?.track({ name: "login", actor: root, created: new Date() });
  return reply.redirect(rowhouse.urls.instance(), 302, {
    "set-cookie": rowhouse.service("sessions").signIn(request, root),
    "cache-control": "no-store",
  });
}

const LOGOUT_PATH = "/-/logout";

/** A confirmation form, and its target. */
export const logoutRoutes: readonly Route[] = [
  { name: "logout", path: LOGOUT_PATH, target: "instance", view: showForm },
  { name: "logout-submit", method: "POST", path: LOGOUT_PATH, target: "instance", view: signOut },
];

async function showForm(visit: Visit): Promise<Reply> {
  const { rowhouse, actor } = visit;
  if (actor === null) return reply.redirect(rowhouse.urls.instance());
  return pageReply(visit, {
    template: "logout.html",
    title: tOf(visit)("login.log_out"),
    context: { is_translated: true },
    content: formMarkup(visit, actor),
  });
}

async function signOut(visit: Visit): Promise<Reply> {
  const { rowhouse, request, actor } = visit;
  rowhouse.serviceIfAny("messages")?.add(request, tOf(visit)("login.logged_out"), "warning");
  if (actor !== null) {
    await rowhouse.serviceIfAny("events")?.track({ name: "logout", actor, created: new Date() });
  }
  return reply.redirect(rowhouse.urls.instance(), 302, {
    "set-cookie": rowhouse.service("sessions").signOut(request),
  });
}

function formMarkup(visit: Visit, actor: Actor): Html {
  const t = tOf(visit);
  return html`
    <h1>${t("login.log_out")}</h1>
    <p dir="auto">${t("login.logged_in_as")} <strong>${actorName(actor)}</strong></p>
    <form action="${visit.rowhouse.urls.path(LOGOUT_PATH)}" method="post">
      ${csrfField(visit)}
      <p><button type="submit">${t("login.log_out")}</button></p>
    </form>
  `;
}
