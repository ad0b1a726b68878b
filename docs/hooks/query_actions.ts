// Adds a button that a script handles.
// Try: GET /library?sql=select+1
// Says: data-sql="select 1"
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "explain",
  query_actions: (_rowhouse, { sql }) => ({
    type: "button",
    label: "Explain this",
    attributes: { "data-sql": sql },
  }),
});
