import type { Command } from "rowhouse/plugin-api";
import type { Parsed } from "./arguments.js";
import { declareOptions } from "./command-line.js";
import { consoleLog } from "./console-log.js";
import { resolveChoices } from "./resolve.js";
import { allServeOptions } from "./serve-options.js";
import { configOrigins } from "./config-origins.js";

/** `rowhouse config`: the configuration that `serve` would use with the same arguments. */
export const configCommand: Command = {
  command: "config [files..]",
  describe: "Print the configuration as JSON: each value and where it comes from",
  builder: (line) =>
    declareOptions(line, allServeOptions)
      .positional("files", { type: "string", array: true, describe: "SQLite files, or one directory" })
      .example("$0 config data.db -p 8080", "What that would be served with"),
  handler: async (parsed: Parsed) => {
    const { sources } = await resolveChoices(parsed, consoleLog);
    process.stdout.write(`${JSON.stringify(configOrigins(sources), null, 2)}\n`);
  },
};
