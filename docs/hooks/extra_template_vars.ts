// Adds a variable for custom templates: `<%= it.visitors %>`.
// Try: GET /library?_context=1
// Says: &quot;visitors&quot;: 7
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "visitors",
  extra_template_vars: () => ({ visitors: 7 }),
});
