// Reads the actor from a header of a proxy. Use it only behind a proxy that removes this header from outside requests.
// Try: GET /-/actor.json with header x-forwarded-user: ann
// Says: {"actor": {"id": "ann"}}
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "proxy-login",
  actor_from_request: (_rowhouse, { request }) => {
    const user = request.headers["x-forwarded-user"];
    return user === undefined ? null : { id: user };
  },
});
