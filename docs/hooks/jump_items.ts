// Adds an entry to the results of the jump menu.
// Try: GET /-/jump.json?q=desk
// Says: Lending desk
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "desk",
  jump_items: (rowhouse) => ({
    kind: "page",
    label: "Lending desk",
    detail: null,
    href: rowhouse.urls.path("/-/desk"),
  }),
});
