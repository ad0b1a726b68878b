import { definePlugin } from "rowhouse/plugin-api";
import { bundledHooks, type TrackedEvent } from "rowhouse/plugin-api/contracts";
import { Registry } from "./registry.js";
import { bundledTypes } from "./types/index.js";

/**
 * Types of columns beyond SQL, such as e-mail addresses: how pages show values, and which values writes accept.
 */
export default definePlugin({
  name: "column-types",
  deterministic: true,
  unguarded: true,
  provides: ["columnTypes"],
  optional: ["metadata"],
  hooks: bundledHooks.columnTypes,
  register_column_types: () => bundledTypes,
  static: new URL("static/", import.meta.url),
  setup(rowhouse) {
    const registry = new Registry(rowhouse);
    rowhouse.provide("columnTypes", registry);
    return {
      startup: () => registry.start(),
      track_event: (_rowhouse, { event }) => followTable(registry, event),
      extra_css_urls: async (_rowhouse, { database, table, columns, request }) => {
        if (database === null || table === null || columns === null) return null;
        const types = await registry.of(database, table, request.receivedMs);
        const isTyped = columns.some((column) => (types?.get(column) ?? null) !== null);
        return isTyped ? rowhouse.urls.staticPlugin(this.name, "app.css") : null;
      },
    };
  },
});

/** Moves the types of a renamed table to its new name, and deletes those of a dropped table. */
async function followTable({ store }: Registry, event: TrackedEvent): Promise<void> {
  if (store === null) return;
  if (event.name === "rename-table") await store.rename(event.database, event.old_table, event.new_table);
  if (event.name === "drop-table") await store.forget(event.database, event.table);
}
