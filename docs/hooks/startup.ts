// Checks the configuration, and stops the start if it is invalid.
// Log: info: Closing time is 18
import { definePlugin, StartupError } from "rowhouse/plugin-api";

export default definePlugin({
  name: "closing-time",
  startup: async (rowhouse) => {
    const hour = (await rowhouse.pluginConfig("closing-time")) ?? 18;
    if (typeof hour !== "number") throw new StartupError("closing-time: the hour should be a number");
    rowhouse.log.info(`Closing time is ${hour}`);
  },
});
