import { definePlugin } from "rowhouse/plugin-api";
import { bundledSettings } from "rowhouse/plugin-api/contracts";
import { csvRenderer } from "./renderer.js";

/** CSV export: `.csv` on tables, rows and queries, one page or everything. */
export default definePlugin({
  name: "csv",
  deterministic: true,
  unguarded: true,
  settings: bundledSettings.csv,
  register_output_renderer: csvRenderer,
  describe_api: async () => (await import("./openapi.js")).api,
});
