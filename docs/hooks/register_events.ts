// Registers an event type, and sends an event of this type from a page.
// Try: GET /-/wave as Ada
// Says: waved
import { definePlugin, reply, type Actor } from "rowhouse/plugin-api";

declare module "rowhouse/plugin-api" {
  interface Events {
    wave: { readonly actor: Actor | null; readonly created: Date };
  }
}

export default definePlugin({
  name: "waves",
  register_events: () => ({ name: "wave", description: "An actor waved" }),
  register_routes: () => [
    {
      name: "wave",
      path: "/-/wave",
      target: "instance",
      view: async ({ rowhouse, actor }) => {
        await rowhouse.service("events").track({ name: "wave", actor, created: new Date() });
        return reply.text("waved");
      },
    },
  ],
});
