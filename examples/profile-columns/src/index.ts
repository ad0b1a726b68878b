import { definePlugin } from "rowhouse/plugin-api";
import { profileRoute } from "./profile-view.js";

/** A page that tells what is in the columns of a table, reached from the table's menu. */
export default definePlugin({
  name: "profile-columns",
  // It knows what other plugins hide from whom.
  requires: ["tables"],
  // From dist/src, where the compiled module lies.
  static: new URL("../../static/", import.meta.url),
  templates: new URL("../../templates/", import.meta.url),
  settings: [
    {
      name: "profile_time_limit_ms",
      default: 500,
      help: "Time for each column of a profile",
      check: (value) => (value === 0 ? "must be at least 1" : null),
    },
  ],
  register_routes: () => profileRoute,
  table_actions: (rowhouse, { database, table }) => profileLink(rowhouse.urls.table(database, table)),
  view_actions: (rowhouse, { database, view }) => profileLink(rowhouse.urls.table(database, view)),
  extra_css_urls: (rowhouse, { viewName }) =>
    viewName === "profile" ? rowhouse.urls.staticPlugin("profile-columns", "profile.css") : null,
});

const profileLink = (table: string) => ({
  href: `${table}/-/profile`,
  label: "Profile columns",
  description: "How full and how varied each column is",
});

// Types for `rowhouse.setting("profile_time_limit_ms")`.
declare module "rowhouse/plugin-api" {
  interface Settings {
    profile_time_limit_ms: number;
  }
}
