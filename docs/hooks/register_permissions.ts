// A permission that nobody has until somebody grants it.
// Try: GET /-/actions.json as root
// Says: Borrow books
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "lending",
  register_permissions: () => ({
    name: "borrow-book",
    abbr: "bb",
    description: "Borrow books",
    takes_database: true,
    takes_resource: false,
    default: false,
  }),
});
