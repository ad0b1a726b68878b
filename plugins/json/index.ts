import { definePlugin } from "rowhouse/plugin-api";
import { jsonRenderers } from "./renderer.js";

/** JSON documents: `.json` on any page, its shapes and its other arguments. */
export default definePlugin({
  name: "json",
  deterministic: true,
  unguarded: true,
  optional: ["columnTypes"],
  register_output_renderer: jsonRenderers,
});
