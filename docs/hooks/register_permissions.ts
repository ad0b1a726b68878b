// Adds a permission that is denied unless it is granted.
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
