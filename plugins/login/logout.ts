import { actorName, csrfField, html, pageReply, reply } from "rowhouse/plugin-api";
import type { Actor, Html, Reply, Route, Visit } from "rowhouse/plugin-api";

const PATH = "/-/logout";

/** A form that asks, and what it submits to. */
export const logoutRoutes: readonly Route[] = [
  { name: "logout", path: PATH, target: "instance", view: showForm },
  { name: "logout-submit", method: "POST", path: PATH, target: "instance", view: signOut },
];

async function showForm(visit: Visit): Promise<Reply> {
  const { rowhouse, actor } = visit;
  if (actor === null) return reply.redirect(rowhouse.urls.instance());
  return pageReply(visit, {
    template: "logout.html",
    title: "Log out",
    content: formMarkup(visit, actor),
  });
}

async function signOut({ rowhouse, request, actor }: Visit): Promise<Reply> {
  rowhouse.serviceIfAny("messages")?.add(request, "You are now logged out", "warning");
  if (actor !== null) {
    await rowhouse.serviceIfAny("events")?.track({ name: "logout", actor, created: new Date() });
  }
  return reply.redirect(rowhouse.urls.instance(), 302, {
    "set-cookie": rowhouse.service("sessions").signOut(request),
  });
}

const formMarkup = (visit: Visit, actor: Actor): Html => html`
  <h1>Log out</h1>
  <p dir="auto">You are logged in as <strong>${actorName(actor)}</strong></p>
  <form action="${visit.rowhouse.urls.path(PATH)}" method="post">
    ${csrfField(visit)}
    <p><button type="submit">Log out</button></p>
  </form>
`;
