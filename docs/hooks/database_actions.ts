// Adds a link to the menu of actions.
// Try: GET /library
// Says: /-/print?what=library
import { definePlugin, withQuery } from "rowhouse/plugin-api";

export default definePlugin({
  name: "print",
  database_actions: (rowhouse, { database }) => ({
    href: withQuery(rowhouse.urls.path("/-/print"), [["what", database]]),
    label: "Print",
    description: "A version for paper",
  }),
});
