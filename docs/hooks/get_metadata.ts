// Adds a title to the metadata.
// Try: GET /library
// Says: The village library</h1>
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "titles",
  get_metadata: () => ({ databases: { library: { title: "The village library" } } }),
});
