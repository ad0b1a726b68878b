import { definePlugin } from "rowhouse/plugin-api";
import { bundledHooks } from "rowhouse/plugin-api/contracts";

/** `rowhouse package` builds a container image of a site; `rowhouse publish` publishes it to a hosting service. */
export default definePlugin({
  name: "publish",
  deterministic: true,
  unguarded: true,
  hooks: bundledHooks.publish,
  // Loaded by commands only, not by servers.
  register_commands: async (rowhouse) => {
    const { packageCommand, publishCommand } = await import("./commands.js");
    return [packageCommand(rowhouse), await publishCommand(rowhouse)];
  },
  publish_subcommand: async (_rowhouse, { publish }) => {
    const [{ cloudRun }, { heroku }] = await Promise.all([import("./cloud-run.js"), import("./heroku.js")]);
    publish.target(cloudRun(publish));
    publish.target(heroku(publish));
  },
});
