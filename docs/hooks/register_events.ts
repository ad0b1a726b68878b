// Registers an event type, and sends an event of this type from a page.
// Try: GET /-/wave as Ada
// Says: waved
import { definePlugin, reply } from "rowhouse/plugin-api";

export default definePlugin({
  name: "waves",
  register_events: () => ({ name: "wave", description: "An actor waved" }),
  register_routes: () => [
    {
      name: "wave",
      path: "/-/wave",
      target: "instance",
      view: async ({ rowhouse, actor }) => {
        const event = { name: "wave", actor, created: new Date() };
        await rowhouse.service("events").track(event as never);
        return reply.text("waved");
      },
    },
  ],
});
