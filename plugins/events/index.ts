import { definePlugin } from "rowhouse/plugin-api";
import type { Rowhouse, WriteFacts, WriteWrapper } from "rowhouse/plugin-api";

/** What happened: tells every plugin that wants to know, and lets plugins stand around each write. */
export default definePlugin({
  name: "events",
  hooks: { track_event: "notify", write_wrapper: "collect" },
  apply: (rowhouse) => {
    rowhouse.hooks.track_event.intercept({
      // Each plugin on its own: one that fails must not keep the next from being told.
      register: (tap) => ({
        ...tap,
        fn: async (...args: unknown[]) => {
          try {
            await (tap.fn as (...given: unknown[]) => unknown)(...args);
          } catch (error) {
            rowhouse.log.error(`Plugin ${tap.name} failed in track_event`, error);
          }
        },
      }),
    });
    rowhouse.provide("events", {
      track: (event) => rowhouse.hooks.track_event.promise(rowhouse, { event }),
      around: (facts) => around(rowhouse, facts),
    });
  },
});

async function around(rowhouse: Rowhouse, facts: WriteFacts): Promise<WriteWrapper> {
  const wrappers = await rowhouse.hooks.write_wrapper.promise([], rowhouse, facts);
  return <T>(write: () => Promise<T>) =>
    wrappers.reduce<() => Promise<T>>((inner, wrapper) => () => wrapper(inner), write)();
}
