import { definePlugin } from "rowhouse/plugin-api";

/** Owns the hook by which plugins bring commands of their own; the command line fires it. */
export default definePlugin({
  name: "commands",
  deterministic: true,
  unguarded: true,
  hooks: {
    register_commands: {
      kind: "collect",
      affects: "nothing",
      expects: {
        what: "a command with command and handler, or a group with command and commands",
        is: isCommand,
      },
    },
  },
});

function isCommand(answer: unknown): boolean {
  const { command, commands, handler } = Object(answer) as Readonly<Record<string, unknown>>;
  if (typeof command !== "string") return false;
  return Array.isArray(commands) ? commands.every(isCommand) : typeof handler === "function";
}
