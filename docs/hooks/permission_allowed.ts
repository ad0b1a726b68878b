// Denies suspended readers every action.
// Try: GET /library/books.json as {"id": "ben", "suspended": true}
// Status: 403
// Try: GET /library/books.json as ann
// Status: 200
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "suspension",
  permission_allowed: (_rowhouse, { actor, action }) => {
    if (action !== "view-table" || actor?.["suspended"] !== true) return null;
    return { allowed: false, because: "the actor is suspended" };
  },
});
