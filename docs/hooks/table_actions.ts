// Adds a link to the menu of actions.
// Try: GET /library/books
// Says: /-/print?what=books
import { definePlugin, withQuery } from "rowhouse/plugin-api";

export default definePlugin({
  name: "print",
  table_actions: (rowhouse, { table }) => ({
    href: withQuery(rowhouse.urls.path("/-/print"), [["what", table]]),
    label: "Print",
    description: "A version for paper",
  }),
});
