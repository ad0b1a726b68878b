import { definePlugin, functionOf } from "rowhouse/plugin-api";
import { around } from "./around.js";

/** What happened: tells every plugin that wants to know, and lets plugins stand around each write. */
export default definePlugin({
  name: "events",
  hooks: {
    track_event: { kind: "notify", failing: "skip" },
    write_wrapper: { kind: "collect", expects: functionOf("a function that is given the write") },
  },
  apply: (rowhouse) =>
    rowhouse.provide("events", {
      track: (event) => rowhouse.hooks.track_event.promise(rowhouse, { event }),
      around: (facts) => around(rowhouse, facts),
    }),
});
