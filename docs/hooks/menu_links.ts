// Adds a link to the main menu for signed-in actors.
// Try: GET / as ann
// Says: <a href="/-/loans">My loans</a>
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "loans",
  menu_links: (rowhouse, { actor }) =>
    actor === null ? null : { href: rowhouse.urls.path("/-/loans"), label: "My loans" },
});
