// Refuses all requests at night.
// Try: GET /library
// Says: Open again at nine
// Try: GET /library
// Header: retry-after: 3600
import { definePlugin, reply } from "rowhouse/plugin-api";

const isNight = (): boolean => true;

export default definePlugin({
  name: "night",
  intercept_request: () =>
    isNight() ? reply.text("Open again at nine", 503, { "retry-after": "3600" }) : null,
});
