// Returns the actors of ids, with their names.
// Try: GET /-/who
// Says: Ada Lovelace
import { definePlugin, reply } from "rowhouse/plugin-api";

export default definePlugin({
  name: "people",
  actors_from_ids: () => ({ ada: { id: "ada", name: "Ada Lovelace" } }),
  register_routes: () => [
    {
      name: "who",
      path: "/-/who",
      target: "instance",
      view: async ({ rowhouse }) =>
        reply.json(JSON.stringify(await rowhouse.service("actors").fromIds(["ada"]))),
    },
  ],
});
