import { definePlugin } from "rowhouse/plugin-api";
import { csvRenderer } from "./renderer.js";

/** CSV export: `.csv` on tables, rows and queries, one page or everything. */
export default definePlugin({
  name: "csv",
  deterministic: true,
  unguarded: true,
  settings: [
    { name: "allow_csv_stream", default: true, help: "Allow .csv?_stream=1 to export all rows" },
    {
      name: "max_csv_mb",
      default: 100,
      help: "Most MB of one CSV export; 0 for no limit",
      check: (value) => (Number(value) < 0 ? "must not be negative" : null),
    },
  ],
  register_output_renderer: csvRenderer,
});
