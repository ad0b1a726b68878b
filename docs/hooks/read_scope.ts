// Readers see only their own row, and no actor sees addresses.
// Try: GET /library/members.json?_shape=array as {"id": "Ada"}
// Says: [{"id": 1, "name": "Ada"}]
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "privacy",
  read_scope: (_rowhouse, { actor }) => ({
    table: "members",
    where: "name = :me",
    params: { me: String(actor?.id ?? "") },
    hiddenColumns: ["email"],
  }),
});
