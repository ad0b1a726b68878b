// Adds a link to the menu of actions.
// Try: GET /
// Says: /-/print
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "print",
  homepage_actions: (rowhouse) => ({
    href: rowhouse.urls.path("/-/print"),
    label: "Print",
    description: "A version for paper",
  }),
});
