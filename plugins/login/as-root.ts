import { csrfField, html, pageReply, reply } from "rowhouse/plugin-api";
import type { Reply, Route, Rowhouse, Visit } from "rowhouse/plugin-api";

const PATH = "/login-as-root";

/** For demonstrations, where everybody may be root: a button that signs in. None unless the setting says so. */
export function asRootRoutes(rowhouse: Rowhouse): readonly Route[] {
  if (!rowhouse.setting("login_as_root")) return [];
  rowhouse.log.warn(`login_as_root is on: everybody can sign in as root at ${PATH}`);
  return [
    { name: "login-as-root", path: PATH, target: "instance", view: showButton },
    { name: "login-as-root-submit", method: "POST", path: PATH, target: "instance", view: signIn },
  ];
}

const showButton = (visit: Visit): Promise<Reply> =>
  pageReply(visit, {
    template: "login_as_root.html",
    title: "Sign in as root",
    content: html`
      <h1>Sign in as root</h1>
      <p>This is a demonstration: everybody may change its data.</p>
      <form action="${visit.rowhouse.urls.path(PATH)}" method="post">
        ${csrfField(visit)}
        <p><button type="submit">Sign in as root</button></p>
      </form>
    `,
  });

async function signIn({ rowhouse, request }: Visit): Promise<Reply> {
  const root = { id: "root" };
  await rowhouse.serviceIfAny("events")?.track({ name: "login", actor: root, created: new Date() });
  return reply.redirect(rowhouse.urls.instance(), 302, {
    "set-cookie": rowhouse.service("sessions").signIn(request, root),
    "cache-control": "no-store",
  });
}
