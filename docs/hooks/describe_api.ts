// Describes an endpoint of each table in the OpenAPI document.
// Try: GET /-/openapi.json
// Says: /library/books/-/words.json
import { definePlugin, reply } from "rowhouse/plugin-api";
import { documentReply, getEndpoint, queryArgument } from "rowhouse/plugin-api/openapi";

export default definePlugin({
  name: "words",
  register_routes: () => ({
    name: "words",
    path: "/:database/:resource/-/words.json",
    target: "table",
    view: () => reply.json('{"ok": true, "words": []}'),
  }),
  describe_api: () => ({
    table: (described) => [
      getEndpoint(described, "/-/words.json", {
        id: "words",
        summary: `Frequent words in ${described.table.name}`,
        parameters: [queryArgument("longest", "Only words up to this length", { type: "integer" })],
        reply: documentReply("The words", { words: { type: "array", items: { type: "string" } } }),
      }),
    ],
  }),
});
