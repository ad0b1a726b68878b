import { definePlugin, functionOf, objectWith } from "rowhouse/plugin-api";
import { around } from "./write-wrappers.js";
import { bundledEvents, eventTypes, track } from "./track.js";

/** Sends events to plugins, and runs the write wrappers of plugins around each write. */
export default definePlugin({
  name: "events",
  deterministic: true,
  unguarded: true,
  provides: ["events"],
  hooks: {
    register_events: {
      kind: "collect",
      affects: "nothing",
      expects: objectWith("a kind of event with name and description", {
        name: "string",
        description: "string",
      }),
    },
    track_event: { kind: "notify", failing: "skip", affects: "nothing" },
    // A wrapper may refuse the write.
    write_wrapper: {
      kind: "collect",
      affects: "nothing",
      enforces: true,
      expects: functionOf("a function that is given the write"),
    },
  },
  register_events: () => bundledEvents,
  apply: (rowhouse) =>
    rowhouse.provide("events", {
      types: () => eventTypes(rowhouse),
      track: (event) => track(rowhouse, event),
      around: (facts) => around(rowhouse, facts),
    }),
});
