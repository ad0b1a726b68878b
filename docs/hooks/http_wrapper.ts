// Adds a header to all replies, also to those of other middleware.
// Try: GET /library.json
// Header: x-served-by: the village library
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "served-by",
  http_wrapper: () => (_request, response, next) => {
    response.setHeader("x-served-by", "the village library");
    next();
  },
});
