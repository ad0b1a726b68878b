// Adds `:_day_name` for canned queries.
// Try: GET /library/today.json?_shape=arrayfirst
// Says: day"]
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "days",
  register_magic_parameters: () => [
    [
      "day",
      (key) => {
        if (key !== "name") throw new RangeError(`There is no day ${key}`);
        return new Date().toLocaleDateString("en", { weekday: "long" });
      },
    ],
  ],
  canned_queries: () => ({ today: "select :_day_name" }),
});
