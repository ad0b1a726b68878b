// Says that the server is about to end.
// Log: info: No new visitors, please
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "farewell",
  drain: (rowhouse) => rowhouse.log.info("No new visitors, please"),
});
