import { definePlugin } from "rowhouse/plugin-api";
import { cloudRun } from "./cloud-run.js";
import { heroku } from "./heroku.js";
import { packageCommand } from "./package-command.js";
import { publishCommand } from "./publish-command.js";

/** `rowhouse package` and `rowhouse publish`: sites as images, and on other people's machines. */
export default definePlugin({
  name: "publish",
  hooks: { publish_subcommand: { kind: "notify", atStart: true } },
  register_commands: async (rowhouse) => [packageCommand(rowhouse), await publishCommand(rowhouse)],
  publish_subcommand: (_rowhouse, { publish }) => {
    publish.target(cloudRun(publish));
    publish.target(heroku(publish));
  },
});
