import { definePlugin } from "rowhouse/plugin-api";
import { bundledHooks } from "rowhouse/plugin-api/contracts";
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
      track_event: registry.followTable,
      extra_css_urls: async (_rowhouse, { database, table, columns, request }) => {
        if (database === null || table === null || columns === null) return null;
        const types = await registry.of(database, table, request.receivedMs);
        const isTyped = columns.some((column) => (types?.get(column) ?? null) !== null);
        return isTyped ? rowhouse.urls.staticPlugin(this.name, "app.css") : null;
      },
    };
  },
});
