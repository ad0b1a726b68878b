import { definePlugin, functionOf, objectWith } from "rowhouse/plugin-api";
import { around } from "./write-wrappers.js";
import { bundledEvents, EventTracker } from "./track.js";

/** Sends events to plugins, and runs the write wrappers of plugins around each write. */
export default definePlugin({
  name: "events",
  provides: ["events"],
  hooks: {
    register_events: {
      kind: "collect",
      expects: objectWith("a kind of event with name and description", {
        name: "string",
        description: "string",
      }),
    },
    track_event: { kind: "notify", failing: "skip" },
    // A wrapper may refuse the write.
    write_wrapper: {
      kind: "collect",
      enforces: true,
      expects: functionOf("a function that is given the write"),
    },
  },
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
