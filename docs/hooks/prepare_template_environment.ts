// Adds a global value for templates.
// Try: GET /?_context=1
// Says: slogan
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "loud",
  prepare_template_environment: (_rowhouse, { environment }) => {
    environment.addFilter("loud", (value: string) => value.toUpperCase());
    environment.addGlobal("slogan", "Books for all");
  },
});
