// Adds a health check for a load balancer in plain Express: without actor, permissions and reply hooks.
// Try: GET /healthy
// Says: yes
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "health",
  prepare_app: (_rowhouse, { app }) => {
    app.get("/healthy", (_request, response) => void response.send("yes"));
  },
});
