// Adds a link to the menu of actions.
// Try: GET /library/old_books
// Says: /-/print?what=old_books
import { definePlugin, withQuery } from "rowhouse/plugin-api";

export default definePlugin({
  name: "print",
  view_actions: (rowhouse, { view }) => ({
    href: withQuery(rowhouse.urls.path("/-/print"), [["what", view]]),
    label: "Print",
    description: "A version for paper",
  }),
});
