// Logs all changes.
// Try: POST /library/authors/-/insert as root with {"row": {"name": "George Eliot"}}
// Log: info: root: insert-rows
import { definePlugin } from "rowhouse/plugin-api";

export default definePlugin({
  name: "diary",
  track_event: (rowhouse, { event }) => {
    rowhouse.log.info(`${String(event.actor?.id)}: ${event.name}`);
  },
});
