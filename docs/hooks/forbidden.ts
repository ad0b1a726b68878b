// Redirects to a login page instead of answering 403.
// Try: GET /_internal
// Header: location: /-/login?next=%2F_internal
import { definePlugin, reply, withQuery } from "rowhouse/plugin-api";

export default definePlugin({
  name: "login-first",
  forbidden: (rowhouse, { request, actor }) => {
    if (actor !== null || request.path.endsWith(".json")) return null;
    const login = rowhouse.urls.path("/-/login");
    return reply.redirect(withQuery(login, [["next", rowhouse.urls.path(request.path)]]));
  },
});
