import { bundledHooks, definePlugin } from "rowhouse/plugin-api";
import { around } from "./write-wrappers.js";
import { bundledEvents, eventTypes, track } from "./track.js";

/** Sends events to plugins, and runs the write wrappers of plugins around each write. */
export default definePlugin({
  name: "events",
  deterministic: true,
  unguarded: true,
  provides: ["events"],
  hooks: bundledHooks.events,
  register_events: () => bundledEvents,
  apply: (rowhouse) =>
    rowhouse.provide("events", {
      types: () => eventTypes(rowhouse),
      track: (event) => track(rowhouse, event),
      around: (facts) => around(rowhouse, facts),
    }),
});
