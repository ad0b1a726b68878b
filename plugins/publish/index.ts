import { definePlugin } from "rowhouse/plugin-api";

/** `rowhouse package` and `rowhouse publish`: sites as images, and on other people's machines. */
export default definePlugin({
  name: "publish",
  hooks: { publish_subcommand: { kind: "notify", atStart: true } },
  // Loaded when a command is wanted: a server has no use for them.
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
