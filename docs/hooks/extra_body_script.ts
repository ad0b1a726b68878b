// Adds an inline script.
// Try: GET /library
// Says: <script src="/-/page-scripts/
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "hello-console",
  extra_body_script: (_rowhouse, { viewName }) => `console.log(${JSON.stringify(`This is ${viewName}`)});`,
});
