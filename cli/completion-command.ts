import type { Command } from "rowhouse/plugin-api";

/** The word by which a completion script asks for the words that fit: `rowhouse --get-yargs-completions rowhouse se`. */
export const COMPLETION_REQUEST = "--get-yargs-completions";

/** `rowhouse completion`: prints a script for the shell that runs it. */
export const completionCommand: Command = {
  command: "completion",
  describe: "Print a completion script for bash or zsh",
  builder: (line) => line.example("$0 completion >> ~/.bashrc", "Complete commands and options with TAB"),
  // yargs knows the script; its type of a handler's arguments does not include the instance.
  handler: async () => {
    const { default: yargs } = await import("yargs");
    yargs().scriptName("rowhouse").showCompletionScript();
  },
};
