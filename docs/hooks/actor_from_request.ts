// Believes a proxy that signs people in. Only behind a proxy that takes this header away from outside!
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
