// Skips the CSRF check for a path that does not use cookies.
// Try: POST /-/doorbell as ann with text: ring
// Says: Somebody is at the door
import { definePlugin, reply } from "rowhouse/plugin-api";

export default definePlugin({
  name: "doorbell",
  skip_csrf: (_rowhouse, { request }) => (request.path === "/-/doorbell" ? true : null),
  register_routes: () => ({
    name: "doorbell",
    method: "POST",
    path: "/-/doorbell",
    target: "instance",
    view: () => reply.text("Somebody is at the door"),
  }),
});
