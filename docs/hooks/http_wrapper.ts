// A header on everything, whoever answers.
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
