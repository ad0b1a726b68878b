import { definePlugin } from "rowhouse/plugin-api";
import { bundledHooks } from "rowhouse/plugin-api/contracts";
import { around } from "./write-wrappers.js";
import { bundledEvents, EventTracker } from "./track.js";

/** Sends events to plugins, and runs the write wrappers of plugins around each write. */
export default definePlugin({
  name: "events",
  deterministic: true,
  unguarded: true,
  provides: ["events"],
  hooks: bundledHooks.events,
  register_events: () => bundledEvents,
  setup(rowhouse) {
    const tracker = new EventTracker(rowhouse);
    rowhouse.provide("events", {
      types: () => tracker.types(),
      track: (event) => tracker.track(event),
      around: (facts) => around(rowhouse, facts),
    });
  },
});
