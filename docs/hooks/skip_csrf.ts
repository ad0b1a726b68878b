// Skips the CSRF check for a path that does not use cookies.
// Try: POST /-/doorbell as ann with text: ring
// Says: The request was accepted
import { definePlugin, reply } from "rowhouse/plugin-api";

export default definePlugin({
  name: "doorbell",
  skip_csrf: (_rowhouse, { request }) => (request.path === "/-/doorbell" ? true : null),
  register_routes: () => ({
    name: "doorbell",
    method: "POST",
    path: "/-/doorbell",
    target: "instance",
    view: () => reply.text("The request was accepted"),
  }),
});
