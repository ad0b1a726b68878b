import { definePlugin } from "rowhouse/plugin-api";
import { bundledHooks } from "rowhouse/plugin-api/contracts";
import { provideMetadata } from "./current-metadata.js";

/** The metadata: the loaded file with additions of plugins. */
export default definePlugin({
  name: "metadata",
  deterministic: true,
  unguarded: true,
  provides: ["metadata"],
  optional: ["queries"],
  hooks: bundledHooks.metadata,
  setup: provideMetadata,
  startup: { order: "early", run: (rowhouse) => rowhouse.service("metadata").reload() },
});
