import { bundledHooks, definePlugin } from "rowhouse/plugin-api";
import { keepInStep } from "./follow-tables.js";
import { registryOf } from "./registry.js";
import { bundledTypes } from "./types/index.js";

/** What the values of columns mean: how pages show them, and what may be written into them. */
export default definePlugin({
  name: "column-types",
  deterministic: true,
  unguarded: true,
  provides: ["columnTypes"],
  optional: ["metadata"],
  apply: (rowhouse) => rowhouse.provide("columnTypes", registryOf(rowhouse)),
  hooks: bundledHooks.columnTypes,
  register_column_types: () => bundledTypes,
  startup: (rowhouse) => registryOf(rowhouse).start(),
  track_event: (rowhouse, { event }) => keepInStep(registryOf(rowhouse), event),
  static: new URL("static/", import.meta.url),
  async extra_css_urls(rowhouse, { database, table, columns, request }) {
    if (database === null || table === null || columns === null) return null;
    const types = await registryOf(rowhouse).of(database, table, request.receivedMs);
    const isTyped = columns.some((column) => (types?.get(column) ?? null) !== null);
    return isTyped ? rowhouse.urls.staticPlugin(this.name, "app.css") : null;
  },
});
