import { definePlugin } from "rowhouse/plugin-api";
import { geojsonRenderer } from "./renderer.js";

/** The format `.geojson` for tables, views and queries with the columns `latitude` and `longitude`. */
export default definePlugin({
  name: "geojson",
  register_output_renderer: () => geojsonRenderer,
});
