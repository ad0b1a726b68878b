// Adds a query for signed-in actors.
// Try: GET /library/mine.json?_shape=array as Ada
// Says: [{"email": "ada@example.org"}]
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "my-queries",
  canned_queries: (_rowhouse, { database, actor }) =>
    database === "library" && actor !== null
      ? { mine: { sql: "select email from members where name = :_actor_id" } }
      : null,
});
