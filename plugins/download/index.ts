import { definePlugin } from "rowhouse/plugin-api";
import { downloadView } from "./view.js";

/** The file of an immutable database: `/<database>.db`. */
export default definePlugin({
  name: "download",
  requires: ["tables"],
  settings: [
    { name: "allow_download", default: true, help: "Allow people to download the original SQLite files" },
  ],
  register_routes: () => ({
    name: "download",
    path: /^\/(?<name>[^/.]+)\.db$/,
    target: "instance",
    view: downloadView,
  }),
});
