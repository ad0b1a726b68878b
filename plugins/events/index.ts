import { definePlugin } from "rowhouse/plugin-api";
import { bundledHooks } from "rowhouse/plugin-api/contracts";
import { bundledEvents, eventsService } from "./service.js";

/** Sends events to plugins, and runs the write wrappers of plugins around each write. */
export default definePlugin({
  name: "events",
  deterministic: true,
  unguarded: true,
  provides: ["events"],
  hooks: bundledHooks.events,
  register_events: () => bundledEvents,
  setup(rowhouse) {
    const events = eventsService(rowhouse);
    rowhouse.provide("events", events);
    // An invalid kind of a plugin stops the start, and not the first event.
    return { startup: async () => void (await events.types()) };
  },
});
