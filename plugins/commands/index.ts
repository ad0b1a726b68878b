import { definePlugin, objectWith } from "rowhouse/plugin-api";

/** Owns the hook by which plugins bring commands of their own; the command line fires it. */
export default definePlugin({
  name: "commands",
  hooks: {
    register_commands: {
      kind: "collect",
      expects: objectWith("a command with command and handler", { command: "string", handler: "function" }),
    },
  },
});
