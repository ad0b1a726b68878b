import type { Command } from "rowhouse/plugin-api";

/**
 * The option with which a completion script requests suggestions: `rowhouse --get-yargs-completions rowhouse se`.
 */
export const COMPLETION_REQUEST = "--get-yargs-completions";

/** `rowhouse completion`: prints a completion script for the current shell. */
export const completionCommand: Command = {
  command: "completion",
  describe: "Print a completion script for bash or zsh",
  builder: (line) => line.example("$0 completion >> ~/.bashrc", "Complete commands and options with TAB"),
  // yargs creates the script. The type of the handler's arguments does not include the instance.
  handler: async () => {
    const { default: yargs } = await import("yargs");
    yargs().scriptName("rowhouse").showCompletionScript();
  },
};
