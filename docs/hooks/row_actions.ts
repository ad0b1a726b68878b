// Adds a link to the menu of actions.
// Try: GET /library/books/1
// Says: /-/print?what=1
import { definePlugin, withQuery } from "rowhouse/plugin-api";

export default definePlugin({
  name: "print",
  row_actions: (rowhouse, { rowPath }) => ({
    href: withQuery(rowhouse.urls.path("/-/print"), [["what", rowPath]]),
    label: "Print",
    description: "A version for paper",
  }),
});
