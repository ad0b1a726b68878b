import type { Command } from "rowhouse/plugin-api";
import type { Parsed } from "./arguments.js";
import { declareOptions } from "./command-line.js";
import { configOption, serveOptions } from "./serve-options.js";

const shared = [
  ...serveOptions.filter(({ name }) => ["load-extension", "no-config"].includes(name)),
  configOption,
];

/** `rowhouse inspect`: row counts and hashes for `serve --inspect-file`. */
export const inspectCommand: Command = {
  command: "inspect [files..]",
  describe: "Print row counts and hashes of files as JSON",
  builder: (line) =>
    declareOptions(line, shared)
      .positional("files", { type: "string", array: true, describe: "SQLite files" })
      .option("inspect-file", {
        type: "string",
        nargs: 1,
        describe: "Write here instead of standard output [PATH]",
      })
      .example("$0 inspect data.db --inspect-file counts.json", "Count once ...")
      .example("$0 serve -i data.db --inspect-file counts.json", "... and start without counting"),
  handler: async (parsed: Parsed) => {
    const { inspect } = await import("./inspect.js");
    await inspect(parsed);
  },
};
