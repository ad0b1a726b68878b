import { definePlugin } from "rowhouse/plugin-api";
import { backupCommand, restoreCommand } from "./commands.js";
import { startSchedule } from "./schedule.js";

/** `rowhouse backup`, `rowhouse restore`, and backups while serving. */
export default definePlugin({
  name: "backup",
  deterministic: true,
  unguarded: true,
  setup(rowhouse) {
    let schedule: { stop(): Promise<void> } | null = null;
    return {
      register_commands: () => [backupCommand(rowhouse), restoreCommand(rowhouse)],
      async startup() {
        schedule = await startSchedule(rowhouse);
      },
      shutdown: () => schedule?.stop(),
    };
  },
});
